"""The account, in the sandbox's shape and in other shapes."""

import asyncio

import pytest

from connectors.http.auth import BasicToken
from connectors.http.errors import Denied
from connectors.http.session import HttpSession
from connectors.nfse.account import Account
from connectors.nfse.client import NfseClient


def test_the_account_is_read(ask):
    account = ask(lambda client: client.account.read())
    assert account.uuid == "5f0c7a52-99a1-4b0e-8c3e-000000000001"
    assert account.name == "Grupo Marés e Aurora"
    assert account.max_emissions == "Ilimitado"


def test_plan_and_emitters_come_along(ask):
    account = ask(lambda client: client.account.read())
    assert (account.plan.slug, account.emission_count, account.emissions_left) == ("ilimitado", 0, None)
    assert [emitter.city for emitter in account.emitters] == ["Rio de Janeiro", "São Paulo"]


@pytest.mark.parametrize(
    ("used", "limit", "left"),
    [(3, "10", 7), (11, "10", 0), (3, "Ilimitado", None), (None, "10", None), (3, None, None)],
)
def test_the_rest_of_a_plan_is_computed(used, limit, left):
    account = {"uuid": "u", "name": "n", "max_emissions": limit, "emission_count": used}
    assert Account.model_validate(account).emissions_left == left


def test_a_quota_may_be_a_number_too():
    assert Account.model_validate({"uuid": "u", "name": "n", "max_emissions": 500}).max_emissions == "500"


def test_a_wrong_token_is_denied(sandbox):
    async def main():
        async with HttpSession(sandbox.base_url, BasicToken("nobody")) as session:
            await NfseClient(session).account.read()

    with pytest.raises(Denied):
        asyncio.run(main())
