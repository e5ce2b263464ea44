"""The base profile holds every setting with a comment; another profile holds only differences."""

import tomllib

import pytest
from pydantic import BaseModel

from configs.load import PROFILES, checked_ledger, load_settings, profile_names
from configs.settings import Settings
from domain.problems import SettingsError

BASE = (PROFILES / "base.toml").read_text(encoding="utf-8")


def keys_of(model: type[BaseModel], prefix: str = "") -> set[str]:
    found = set()
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= keys_of(kind, f"{prefix}{name}.")
        else:
            found.add(f"{prefix}{name}")
    return found


def flat(table, prefix="") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        is_section = isinstance(value, dict) and name not in {"by_emitter", "codes"}
        found.update(flat(value, f"{prefix}{name}.") if is_section else {f"{prefix}{name}": value})
    return found


def test_the_base_holds_every_setting_but_the_name_and_what_may_be_absent():
    lines = {f"{line}.pace.per_minute" for line in ("nfse", "orders", "products")}
    optional = {"protocol.list_above_cents", *lines}
    assert keys_of(Settings) - flat(tomllib.loads(BASE)).keys() == {"name", *optional}
    assert flat(tomllib.loads(BASE)).keys() <= keys_of(Settings)


def test_the_base_explains_what_does_not_explain_itself():
    keys = [line for line in BASE.splitlines() if " = " in line and not line.startswith("#")]
    assert BASE.count("\n# ") > len(keys) * 0.7


@pytest.mark.parametrize("profile", profile_names())
def test_a_profile_holds_only_differences(profile):
    base = flat(tomllib.loads(BASE))
    own = flat(tomllib.loads((PROFILES / f"{profile}.toml").read_text(encoding="utf-8")))
    assert not [key for key, value in own.items() if base.get(key) == value]


def test_a_ledger_address_that_was_a_secret_is_asked_again_once_it_is_known(monkeypatch):
    monkeypatch.setenv("FATURISTA_NFSE__BASE_URL", "https://provider.example")
    monkeypatch.setenv("FATURISTA_BACKUP__ALLOW_PLAIN", "true")
    production, local = load_settings("production"), load_settings("local")
    assert checked_ledger(production, "postgresql+psycopg://ledger.example/faturista").startswith("postgresql")
    assert checked_ledger(local, "sqlite:///ledger.db") == "sqlite:///ledger.db"
    with pytest.raises(SettingsError) as caught:
        checked_ledger(production, "sqlite:///ledger.db")
    assert caught.value.problem.code == "settings.sqlite"
