"""The receiver's address: settings that would leave it open or unreachable are refused."""

import pytest

from domain.problems import SettingsError
from tasks.webhooks.address import receiver_address
from tests.tasks.workshop import Workshop, blank_ledger, provider, shop

__all__ = ["blank_ledger", "provider", "shop"]


@pytest.mark.parametrize(
    "secret", ["short", "a" * 201, "with/slash-and-22-letters", "çççççççççççççççççççççç", "-" * 30]
)
def test_a_guessable_or_unfit_secret_is_refused(shop: Workshop, secret: str):
    shop.set(WEBHOOKS__SECRET=f"plain:{secret}")
    with shop.context() as context, pytest.raises(SettingsError) as refused:
        receiver_address(context)
    assert refused.value.problem.code == "webhooks.weak_secret"
    assert secret not in str(refused.value.problem)


def test_no_address_is_a_sentence(shop: Workshop):
    shop.set(WEBHOOKS__URL="")
    with shop.context() as context, pytest.raises(SettingsError) as refused:
        receiver_address(context)
    assert refused.value.problem.params["variable"] == "FATURISTA_WEBHOOKS__URL"


def test_the_secret_stays_out_of_texts(shop: Workshop):
    with shop.context() as context:
        receiver = receiver_address(context)
        assert receiver.address.endswith("sandbox-webhooks-0123456789")
        assert "0123456789" not in repr(receiver)
