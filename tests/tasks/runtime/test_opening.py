"""The runtime: settings become arguments in one place, and another account is refused before any work."""

from pathlib import Path

import pytest

from configs.load import load_settings
from connectors.http.errors import Denied, Unreachable
from connectors.ledger import parties, request_counts
from domain.problems import FaturistaError, SettingsError
from tasks.runtime import Runtime, open_context, resolve_url
from tests.ledgers import sqlite_url
from tests.tasks.workshop import PROFILE, Workshop, nfse_of

pytestmark = pytest.mark.both_databases


async def nothing(_runtime: Runtime) -> None:
    """Do nothing, as a station."""


async def look(runtime: Runtime) -> None:
    await nfse_of(runtime).account.read()


def test_the_ledger_remembers_the_account_of_its_first_use(each_shop: Workshop):
    shop = each_shop
    assert shop.read(parties.account_of) is None
    shop.run(nothing)
    assert shop.read(parties.account_of) == ("5f0c7a52-99a1-4b0e-8c3e-000000000001", "Grupo Marés e Aurora")


def test_another_accounts_provider_is_refused_with_both_names(each_shop: Workshop):
    shop = each_shop
    shop.write(parties.bind_account, uuid="another", name="Nossa Conta Antiga")
    with pytest.raises(FaturistaError) as raised:
        shop.run(nothing)
    assert raised.value.problem.code == "ledger.other_account"
    with shop.context() as context:
        text = context.catalogue.what(raised.value.problem)
    assert text == (
        "The ledger belongs to the account Nossa Conta Antiga (another), but the access key belongs to the account "
        "Grupo Marés e Aurora (5f0c7a52-99a1-4b0e-8c3e-000000000001)."
    )
    assert shop.asked("takers.list", "batches.create") == 0


def test_a_key_of_another_account_at_the_same_reference_is_refused(each_shop: Workshop):
    shop = each_shop
    shop.set(ACCESS_KEY="sandbox-token", NFSE__TOKEN="env:FATURISTA_ACCESS_KEY")
    shop.run(nothing)
    other = {"id": 2, "name": "Outra Conta", "uuid": "5f0c7a52-99a1-4b0e-8c3e-000000000002", "token": "other-key"}
    shop.sandbox.control("seed", {"account": other})
    shop.set(ACCESS_KEY="other-key")
    with pytest.raises(FaturistaError) as raised:
        shop.run(nothing)
    assert raised.value.problem.code == "ledger.other_account"


def test_the_account_is_asked_for_once(shop: Workshop):
    for _ in range(3):
        shop.run(nothing)
    assert shop.asked("account.read") == 1


def test_requests_are_counted_under_their_station(each_shop: Workshop):
    shop = each_shop
    shop.run(look)
    shop.run(look)
    shop.run(nothing)
    # The first one also asked for the account.
    assert shop.read(request_counts.requests_by_station) == {"test": 3}
    assert shop.asked("account.read") == 3


def test_requests_of_a_station_that_failed_are_counted_too(shop: Workshop):
    async def fail(runtime: Runtime) -> None:
        await nfse_of(runtime).account.read()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        shop.run(fail)
    assert shop.read(request_counts.requests_by_station) == {"test": 2}


def test_a_token_that_is_not_accepted_stops_everything(shop: Workshop):
    shop.lock_out()
    with pytest.raises(Denied):
        shop.run(look)


def test_an_unreachable_provider_is_reported_at_once(shop: Workshop):
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    with pytest.raises(Unreachable):
        shop.run(nothing)


def test_a_ledgers_address_may_be_a_secret(shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    url = sqlite_url(tmp_path / "hidden")
    monkeypatch.setenv("OUR_LEDGER", url)
    shop.set(LEDGER__URL="env:OUR_LEDGER")
    assert resolve_url(load_settings(PROFILE)) == url
    with open_context(PROFILE) as context:
        assert context.ledger.dialect == "sqlite"
    assert (tmp_path / "hidden" / "ledger.db").exists()
    monkeypatch.delenv("OUR_LEDGER")
    with pytest.raises(SettingsError) as raised, open_context(PROFILE):
        pass
    assert raised.value.problem.code == "settings.secret_missing"


def test_each_worker_has_a_name_of_its_own(shop: Workshop):
    with shop.context() as one, shop.context() as other:
        assert one.worker != other.worker
        assert one.clock().tzinfo is not None


def test_files_live_in_the_profiles_home(shop: Workshop):
    with shop.context() as context:
        assert Path(context.settings.paths.archive).is_relative_to(shop.home)
        assert context.outbox.is_relative_to(shop.home)
        assert context.archive != context.outbox


def test_an_unknown_issuer_is_refused_before_any_request(shop: Workshop):
    shop.set(ISSUERS__SERVICE="nobody")
    with pytest.raises(SettingsError) as raised:
        shop.run(nothing)
    assert raised.value.problem.code == "settings.unknown_issuer"
    assert shop.asked("account.read") == 0
