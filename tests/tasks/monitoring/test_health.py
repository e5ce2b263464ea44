"""The doctor: the findings in the order of their dependencies, with the faults in words."""

import asyncio
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from connectors.ledger import parties
from connectors.ledger.engine import LedgerRefused
from connectors.nfse.emulator.seed import default_company
from domain.problems import SettingsError
from tasks.monitoring.checks import Finding
from tasks.monitoring.health import check_health
from tests.tasks.persons.people import refused_row
from tests.tasks.workshop import PROFILE, Workshop

AROUND = ["versions", "settings", "inbox", "outbox", "disk"]
ORDER = [
    *AROUND,
    "ledger",
    "retention",
    "backup",
    "staff",
    "provider",
    "account",
    "clock",
    "cities",
    "constants",
    "products",
    "orders",
]


def found(shop: Workshop) -> list[Finding]:
    return asyncio.run(check_health(PROFILE))


def of(shop: Workshop, what: str) -> Finding:
    (finding,) = (each for each in found(shop) if each.what == what)
    return finding


def test_all_is_well(each_shop: Workshop):
    shop = each_shop
    shop.set(ORDERS__BASE_URL=shop.sandbox.base_url)
    findings = found(shop)
    assert [finding.what for finding in findings] == ORDER
    assert [finding for finding in findings if not finding.is_good] == []
    details = {finding.what: finding.detail for finding in findings}
    assert "Python 3." in details["versions"]
    assert "prefect 3." in details["versions"]
    assert shop.sandbox.base_url in details["settings"]
    assert details["orders"] == shop.sandbox.base_url
    assert details["clock"].endswith(" s from the provider's")
    assert "Grupo Marés e Aurora" in details["provider"]


def test_an_emitter_in_a_city_without_issuing_is_reported(shop: Workshop):
    company = default_company()
    company["emitters"][0].update(city="Niterói", city_code=3303302, state="RJ")
    shop.sandbox.control("seed", company)
    finding = of(shop, "cities")
    assert not finding.is_good
    assert "Niterói" in finding.detail


def test_rows_past_their_term_are_reported(shop: Workshop):
    reading = refused_row(shop)
    past = int(timedelta(days=181).total_seconds() * 1_000_000)
    shop.tamper(f"UPDATE readings SET finished_at = finished_at - {past} WHERE id = {reading}")
    finding = of(shop, "retention")
    assert not finding.is_good
    assert "1 held or refused row and 0 revoked people are past their term: faturista person expire" in finding.detail


def test_looking_binds_the_ledger_to_nobody(shop: Workshop):
    found(shop)
    assert shop.read(parties.account_of) is None


def test_a_provider_out_of_reach_is_reported_in_words(shop: Workshop):
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    last = of(shop, "provider")
    assert not last.is_good
    assert "could not be reached" in last.detail


def test_a_token_that_is_not_accepted_is_reported_in_words(shop: Workshop):
    shop.set(NFSE__TOKEN="plain:another")
    last = of(shop, "provider")
    assert not last.is_good
    assert "did not accept our access key" in last.detail
    assert "another" not in last.detail


def test_a_secret_that_is_missing_is_reported_in_words(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OUR_TOKEN", raising=False)
    shop.set(NFSE__TOKEN="env:OUR_TOKEN")
    last = of(shop, "provider")
    assert not last.is_good
    assert "env:OUR_TOKEN" in last.detail


def test_another_account_is_seen(shop: Workshop):
    shop.write(parties.bind_account, uuid="another", name="Nossa Conta")
    last = of(shop, "account")
    assert not last.is_good
    assert "another" in last.detail


def test_a_ledger_that_does_not_open_stops_it_in_words(shop: Workshop, tmp_path: Path):
    (tmp_path / "no.db").write_bytes(b"this is no database at all, whatever its name says" * 30)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path}/no.db")
    with pytest.raises(LedgerRefused):
        found(shop)


def test_settings_that_are_wrong_stop_it(shop: Workshop):
    shop.set(PROTOCOL__QUIET_S=1)
    with pytest.raises(SettingsError):
        found(shop)


def test_looking_makes_no_ledger_and_no_folder(shop: Workshop, tmp_path: Path):
    home = tmp_path / "new"
    shop.set(PATHS__HOME=str(home), LEDGER__URL=f"sqlite:///{home}/ledger.db")
    finding = of(shop, "ledger")
    assert (finding.is_good, finding.detail[:31]) == (True, "The ledger does not exist yet. ")
    assert not home.exists()


def test_a_file_where_the_inbox_should_be_is_reported(shop: Workshop):
    shop.home.mkdir(exist_ok=True)
    (shop.home / "inbox").write_text("no folder")
    assert "may not read and write" in of(shop, "inbox").detail


def test_each_disk_is_looked_at_once_and_named(shop: Workshop):
    (only,) = (each.detail for each in found(shop) if each.what == "disk")
    assert only.startswith("ledger, system folder, archive of sheets, outbox, inbox: ")
    here = shop.home.parent.stat().st_dev
    # the suite's own folder is on one of these disks; nothing is written to the other
    second = next(path for path in (Path("/dev/shm"), Path("/")) if path.stat().st_dev != here)
    shop.set(LEDGER__URL=f"sqlite:///{second}/nowhere/ledger.db")
    other, rest = (each for each in found(shop) if each.what == "disk")
    free = shutil.disk_usage(second).free
    assert other.detail.startswith("ledger: ")
    assert other.is_good == (free >= 1_000_000_000)
    assert rest.detail.startswith("system folder, archive of sheets, outbox, inbox: ")


def test_a_clock_far_off_is_reported_in_days(shop: Workshop):
    shop.sandbox.control("clock", {"ahead_s": 3_455_999})
    finding = of(shop, "clock")
    assert not finding.is_good
    assert finding.detail.startswith("40 days from the provider's")


def test_an_address_of_messages_that_nobody_knows_is_reported(shop: Workshop):
    shop.set(NOTIFICATIONS__TARGETS='{"finance": "plain:nonsense", "board": "env:NOBODY_SET_THIS"}')
    by_detail = {each.detail: each.is_good for each in found(shop) if each.what == "notifications"}
    assert list(by_detail.values()) == [False, False]
    assert "finance is no address that Apprise knows" in by_detail


def test_products_and_orders_are_asked_too(shop: Workshop):
    shop.set(PRODUCTS__TOKEN="plain:another", ORDERS__PASSWORD="plain:another")
    assert not of(shop, "products").is_good
    assert not of(shop, "orders").is_good
    assert of(shop, "provider").is_good
