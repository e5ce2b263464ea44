"""The base profile holds every setting with a comment; another profile holds only differences."""

import tomllib

import pytest

from configs.language import PROFILES
from configs.load import keys_of, load_settings, profile_names, require_allowed_ledger
from configs.settings import Settings
from domain.problems import SettingsError

BASE = (PROFILES / "base.toml").read_text(encoding="utf-8")


BY_NAME = {"by_emitter", "codes", "systems", "templates", "targets", "topics"}
"""Tables whose keys people choose."""


def flat(table, prefix="") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        is_section = isinstance(value, dict) and name not in {
            "by_emitter",
            "codes",
            "systems",
            "templates",
            "targets",
            "topics",
        }
        found.update(flat(value, f"{prefix}{name}.") if is_section else {f"{prefix}{name}": value})
    return found


def test_the_base_holds_every_required_setting():
    lines = {f"{line}.pace.per_minute" for line in ("nfse", "orders", "identity", "products")}
    optional = {"protocol.list_above_cents", *lines}
    assert {*keys_of(Settings)} - flat(tomllib.loads(BASE)).keys() == {"name", *optional}
    assert flat(tomllib.loads(BASE)).keys() <= {*keys_of(Settings)}


def test_the_base_explains_what_does_not_explain_itself():
    keys = [line for line in BASE.splitlines() if " = " in line and not line.startswith("#")]
    assert BASE.count("\n# ") > len(keys) * 0.7


@pytest.mark.parametrize("profile", profile_names())
def test_a_profile_holds_only_differences(profile):
    base = flat(tomllib.loads(BASE))
    own = flat(tomllib.loads((PROFILES / f"{profile}.toml").read_text(encoding="utf-8")))
    assert not [key for key, value in own.items() if base.get(key) == value]


def test_a_ledger_address_from_a_secret_is_checked_too(monkeypatch):
    monkeypatch.setenv("FATURISTA_NFSE__BASE_URL", "https://provider.example")
    monkeypatch.setenv("FATURISTA_BACKUP__ALLOW_PLAIN", "true")
    production, local = load_settings("production"), load_settings("local")
    encrypted = "postgresql+psycopg://ledger.example/faturista?sslmode=require"
    assert require_allowed_ledger(production, encrypted) == encrypted
    assert require_allowed_ledger(local, "sqlite:///ledger.db") == "sqlite:///ledger.db"
    for url, code in (
        ("sqlite:///ledger.db", "settings.sqlite"),
        ("postgresql+psycopg://ledger.example/faturista", "settings.ledger_in_clear"),
    ):
        with pytest.raises(SettingsError) as caught:
            require_allowed_ledger(production, url)
        assert caught.value.problem.code == code
