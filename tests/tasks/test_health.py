"""The doctor: each finding in the order in which they build on one another, and what is wrong in words."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from connectors.ledger import parties
from connectors.ledger.engine import LedgerRefused
from domain.problems import SettingsError
from tasks.health import Finding, check_health
from tests.tasks.persons.people import refused_row
from tests.tasks.workshop import PROFILE, Workshop

ORDER = ["versions", "settings", "ledger", "retention", "provider", "account"]


def found(shop: Workshop) -> list[Finding]:
    return asyncio.run(check_health(PROFILE))


def test_all_is_well(each_shop: Workshop):
    shop = each_shop
    findings = found(shop)
    assert [finding.what for finding in findings] == ORDER
    assert all(finding.is_good for finding in findings)
    details = {finding.what: finding.detail for finding in findings}
    assert "Python 3." in details["versions"]
    assert "prefect 3." in details["versions"]
    assert shop.sandbox.base_url in details["settings"]
    assert "Grupo Marés e Aurora" in details["provider"]


def test_rows_past_their_term_are_told(shop: Workshop):
    reading = refused_row(shop)
    past = int(timedelta(days=181).total_seconds() * 1_000_000)
    shop.tamper(f"UPDATE readings SET finished_at = finished_at - {past} WHERE id = {reading}")
    (finding,) = (each for each in found(shop) if each.what == "retention")
    assert not finding.is_good
    assert "1 refused rows are past their term: faturista person expire" in finding.detail


def test_looking_binds_the_ledger_to_nobody(shop: Workshop):
    found(shop)
    assert shop.read(parties.account_of) is None


def test_a_provider_out_of_reach_is_said_in_words(shop: Workshop):
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    *others, last = found(shop)
    assert [finding.what for finding in others] == ORDER[:4]
    assert (last.what, last.is_good) == ("provider", False)
    assert "could not be reached" in last.detail


def test_a_token_that_is_not_accepted_is_said_in_words(shop: Workshop):
    shop.set(NFSE__TOKEN="plain:another")
    last = found(shop)[-1]
    assert (last.what, last.is_good) == ("provider", False)
    assert "did not accept our access key" in last.detail
    assert "another" not in last.detail


def test_a_secret_that_is_missing_is_said_in_words(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OUR_TOKEN", raising=False)
    shop.set(NFSE__TOKEN="env:OUR_TOKEN")
    last = found(shop)[-1]
    assert (last.what, last.is_good) == ("provider", False)
    assert "env:OUR_TOKEN" in last.detail


def test_another_account_is_seen(shop: Workshop):
    shop.write(parties.bind_account, uuid="another", name="Nossa Conta")
    last = found(shop)[-1]
    assert (last.what, last.is_good) == ("account", False)
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
