"""Profiles: the order of sources, every fault in words, and no fault that repeats a value."""

import os
import shutil

import pytest

from configs.language import PROFILES
from configs.load import load_settings, profile_names
from domain.problems import SettingsError

PUBLIC_KEY = "age123rktqf50z08zvnwk9z3lkyp7kuftfkwas3wacgupf0elspdw3ssl26p2f"
REAL = {
    "FATURISTA_NFSE__BASE_URL": "https://provider.example",
    "FATURISTA_BACKUP__RECIPIENTS": f'["{PUBLIC_KEY}"]',
}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("FATURISTA_"):
            monkeypatch.delenv(name)

    def give(**values):
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return give


def faults(profile="local", overrides=None) -> set[tuple[str, str]]:
    with pytest.raises(SettingsError) as caught:
        load_settings(profile, overrides)
    assert caught.value.problem.code == "settings.invalid"
    return {(problem.code, str(problem.params.get("key", ""))) for problem in caught.value.details}


def test_every_profile_loads_with_a_provider_address(environment):
    environment(**REAL)
    assert profile_names() == ("homologation", "local", "production")
    assert [load_settings(name).name for name in profile_names()] == list(profile_names())


def test_the_local_profile_needs_no_other_setting():
    settings = load_settings()
    assert settings.ledger.url == "sqlite:///var/ledger.db"
    assert load_settings(overrides={"paths": {"home": "elsewhere"}}).ledger.url == "sqlite:///elsewhere/ledger.db"
    assert (settings.paths.archive, settings.paths.outbox) == ("var/archive", "var/outbox")
    assert settings.approval.automatic is True


def test_arguments_win_over_environment_profile_and_base(environment):
    assert load_settings().requests.timeout_s == 15.0  # the profile
    assert load_settings().nfse.in_flight == 16  # the base
    environment(FATURISTA_NFSE__IN_FLIGHT="8", FATURISTA_REQUESTS__TIMEOUT_S="0.9")
    settings = load_settings(overrides={"nfse": {"in_flight": 4}})
    assert (settings.nfse.in_flight, settings.requests.timeout_s, settings.requests.keepalive_s) == (4, 0.9, 3.0)


def test_the_environment_can_give_lists_and_series(environment):
    environment(FATURISTA_RECONCILE__LOOKS_S="[1, 2.5]", FATURISTA_SERIES__BY_EMITTER__99ABC001000157="G")
    settings = load_settings()
    assert settings.reconcile.looks_s == [1.0, 2.5]
    assert [settings.reconcile.wait_s(looks) for looks in (0, 1, 2, 99)] == [1.0, 2.5, 2.5, 2.5]
    assert (settings.series.of("99ABC001000157"), settings.series.of("99000001000101")) == ("G", "F")


def test_the_name_is_the_profiles_and_nobody_elses(environment):
    environment(FATURISTA_NAME="production", **REAL)
    assert load_settings("homologation", {"name": "local"}).name == "homologation"


def test_settings_are_frozen():
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.nfse.in_flight = 99


def test_unknown_keys_are_refused_wherever_they_come_from(environment):
    environment(FATURISTA_NFSE__IN_FLITE="1", FATURISTA_NFS__TOKEN="env:X", FATURISTA_QUITE_OTHER="x")
    assert faults(overrides={"limits": {"row": 1}, "colour": "red"}) == {
        ("settings.mistyped_key", "FATURISTA_NFSE__IN_FLITE"),
        ("settings.mistyped_key", "FATURISTA_NFS__TOKEN"),
        ("settings.unknown_key", "FATURISTA_QUITE_OTHER"),
        ("settings.mistyped_key", "limits.row"),
        ("settings.unknown_key", "colour"),
    }


def test_a_mistyped_variable_is_answered_with_a_variable(environment):
    environment(FATURISTA_NFSE__INFLIGHT="1")
    with pytest.raises(SettingsError) as caught:
        load_settings("local")
    (problem,) = caught.value.details
    assert problem.params == {"key": "FATURISTA_NFSE__INFLIGHT", "near": "FATURISTA_NFSE__IN_FLIGHT"}


def test_every_bad_value_is_named_at_once():
    bad = {"nfse": {"in_flight": "many", "lane_size": 9, "base_url": "provider"}, "series": {"default": "TOOLONG"}}
    assert faults(overrides=bad) == {
        ("settings.not_a_number", "nfse.in_flight"),
        ("settings.out_of_range", "nfse.lane_size"),
        ("settings.bad_value", "nfse.base_url"),
        ("settings.bad_value", "series.default"),
    }


def test_a_secret_in_place_of_its_name_is_not_repeated():
    with pytest.raises(SettingsError) as caught:
        load_settings("local", {"nfse": {"token": "s3cr3t-t0ken"}})
    assert {problem.code for problem in caught.value.details} == {"settings.bad_value"}
    assert "s3cr3t" not in repr(caught.value.details)
    assert "s3cr3t" not in str(caught.value)


def test_an_unknown_profile_has_its_own_error():
    with pytest.raises(SettingsError) as caught:
        load_settings("../local")
    assert caught.value.problem.code == "settings.unknown_profile"
    assert caught.value.problem.params["known"] == "homologation, local, production"


def test_a_profile_without_the_providers_address_stops_at_once():
    assert faults("homologation") == {("settings.missing", "nfse.base_url")}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"protocol": {"quiet_s": 29.9}}, "settings.quiet_too_short"),
        ({"protocol": {"lease_s": 17}}, "settings.lease_too_short"),
        ({"approval": {"approver": " "}}, "settings.approver_missing"),
        ({"series": {"by_emitter": {"99.000.001/0001-02": "G"}}}, "settings.bad_emitter"),
    ],
)
def test_waits_that_would_endanger_money_are_refused(change, code):
    assert {found for found, _ in faults(overrides=change)} == {code}


def test_the_shortest_waits_that_are_safe_are_taken():
    settings = load_settings(overrides={"protocol": {"quiet_s": 30.0, "lease_s": 17.1}})
    assert settings.protocol.quiet_s == 2 * settings.requests.timeout_s


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ledger": {"url": "sqlite:///var/ledger.db"}}, "settings.sqlite"),
        ({"ledger": {"url": ""}}, "settings.missing"),
        ({"nfse": {"base_url": "http://provider.example"}}, "settings.plain_http"),
        ({"nfse": {"base_url": "https://localhost:8787"}}, "settings.loopback"),
        ({"nfse": {"base_url": "https://127.8.0.1"}}, "settings.loopback"),
        ({"nfse": {"base_url": "https://[::1]:8787"}}, "settings.loopback"),
        ({"nfse": {"token": "plain:x"}}, "settings.plain_secret"),
        ({"orders": {"base_url": "http://orders.example"}}, "settings.plain_http"),
        ({"orders": {"base_url": "https://127.0.0.1"}}, "settings.loopback"),
        ({"orders": {"user": "plain:x"}}, "settings.plain_secret"),
        ({"approval": {"four_eyes": False}}, "settings.two_eyes"),
        ({"approval": {"automatic": True, "approver": "ana"}}, "settings.automatic_approval"),
        ({"ledger": {"url": "postgresql+psycopg://db.example/x"}}, "settings.ledger_in_clear"),
        ({"ledger": {"url": "postgresql://db.example/x?sslmode=prefer"}}, "settings.ledger_in_clear"),
        ({"orders": {"password": "plain:x"}}, "settings.plain_secret"),
        ({"backup": {"recipients": []}}, "settings.plain_backup"),
    ],
)
def test_production_is_guarded(environment, change, code):
    environment(**REAL)
    assert {found for found, _ in faults("production", change)} == {code}


def test_the_environment_cannot_loosen_productions_approval(environment):
    environment(**REAL, FATURISTA_APPROVAL__FOUR_EYES="false")
    assert faults("production") == {("settings.two_eyes", "approval.four_eyes")}
    environment(FATURISTA_APPROVAL__AUTOMATIC="true", FATURISTA_APPROVAL__APPROVER="ana")
    assert faults("production") == {("settings.automatic_approval", "approval.automatic")}


@pytest.mark.parametrize("query", ["?sslmode=require", "?sslmode=verify-full", "?host=/var/run/postgresql"])
def test_production_takes_a_ledger_that_nobody_can_overhear(environment, query):
    environment(**REAL)
    url = f"postgresql+psycopg://db.example/x{query}"
    assert load_settings("production", {"ledger": {"url": url}}).ledger.url == url


def test_homologation_sends_no_token_in_clear(environment):
    environment(FATURISTA_NFSE__BASE_URL="http://provider.example")
    assert faults("homologation") == {("settings.plain_http", "nfse.base_url")}
    environment(FATURISTA_NFSE__BASE_URL="http://127.0.0.1:8787")
    assert load_settings("homologation").name == "homologation"


def test_a_mistyped_variable_is_named_with_the_nearest_one(environment):
    environment(FATURISTA_NFSE_TOKE="x", FATURISTA_LANGUAG="en")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    meant = {problem.params["key"]: problem.params["near"] for problem in caught.value.details}
    assert meant == {"FATURISTA_NFSE_TOKE": "FATURISTA_NFSE_TOKEN", "FATURISTA_LANGUAG": "FATURISTA_LANGUAGE"}


def test_a_variable_that_a_reference_names_is_known(environment):
    environment(FATURISTA_OUR_KEY="x", FATURISTA_NFSE__TOKEN="env:FATURISTA_OUR_KEY", FATURISTA_PROFILE="local")
    assert load_settings().nfse.token == "env:FATURISTA_OUR_KEY"


def test_only_the_local_profile_may_spell_a_token_out(environment):
    environment(**REAL)
    assert faults("homologation", {"nfse": {"token": "plain:x"}}) == {("settings.plain_secret", "nfse.token")}


def test_production_copies_are_plain_only_on_request(environment):
    environment(**REAL)
    allowed = {"backup": {"recipients": [], "allow_plain": True}}
    assert load_settings("production", allowed).backup.recipients == ()


@pytest.mark.parametrize("key", ["age1short", PUBLIC_KEY.upper(), "AGE-SECRET-KEY-1" + "Q" * 58])
def test_a_bad_public_key_is_refused_without_being_repeated(key):
    assert faults(overrides={"backup": {"recipients": [key]}}) == {("settings.bad_value", "backup.recipients.0")}


def test_the_fiscal_term_is_never_shorter_than_the_laws():
    assert faults(overrides={"retention": {"fiscal_years": 4}}) == {("settings.out_of_range", "retention.fiscal_years")}


def test_settings_are_read_again_only_when_something_changed(environment):
    before = load_settings()
    assert load_settings() is before
    environment(FATURISTA_LANGUAGE="en")
    assert (before.language, load_settings().language) == ("pt_BR", "en")
    environment(faturista_nfse__in_flight="3")
    assert load_settings().nfse.in_flight == 3


def test_a_profile_that_was_edited_is_read_again(environment, monkeypatch, tmp_path):
    copied = shutil.copytree(PROFILES, tmp_path / "profiles")
    monkeypatch.setattr("configs.load.PROFILES", copied)
    before = load_settings()
    path = copied / "local.toml"
    path.write_text('language = "en"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert (before.language, load_settings().language) == ("pt_BR", "en")
