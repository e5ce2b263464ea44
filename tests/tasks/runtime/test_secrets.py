"""Secret references: each form finds its secret, and the error of a bad one reveals nothing."""

import asyncio

import pytest
from pydantic import SecretStr

from domain.problems import SettingsError
from tasks.runtime.secrets import resolve_secret

SECRET = "s3cret-of-mine"


def refused(reference: str) -> str:
    with pytest.raises(SettingsError) as raised:
        resolve_secret(reference)
    assert SECRET not in str(raised.value)
    assert SECRET not in str(raised.value.problem.params)
    return raised.value.problem.code


def test_a_secret_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OUR_TOKEN", SECRET)
    found = resolve_secret("env:OUR_TOKEN")
    assert isinstance(found, SecretStr)
    assert found.get_secret_value() == SECRET
    assert SECRET not in repr(found)


def test_plain_text_is_the_text_whatever_it_holds():
    assert resolve_secret("plain:sandbox-token").get_secret_value() == "sandbox-token"
    assert resolve_secret("plain:a:b").get_secret_value() == "a:b"


@pytest.mark.parametrize("value", [None, ""])
def test_an_empty_variable_is_no_secret(monkeypatch: pytest.MonkeyPatch, value: str | None):
    monkeypatch.delenv("OUR_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("OUR_TOKEN", value)
    assert refused("env:OUR_TOKEN") == "settings.secret_missing"


@pytest.mark.parametrize("value", [f"{SECRET}\n", f"\ufeff{SECRET}", f"{SECRET}\r\n", f"{SECRET}\x1b[0m"])
def test_an_invisible_character_is_refused_in_words(monkeypatch: pytest.MonkeyPatch, value: str):
    monkeypatch.setenv("OUR_TOKEN", value)
    assert refused("env:OUR_TOKEN") == "settings.secret_unprintable"
    assert refused(f"plain:{value}") == "settings.secret_unprintable"


@pytest.mark.parametrize("reference", [SECRET, "", "env:", "plain:", "block:", f"file:{SECRET}", "ENV:OUR_TOKEN"])
def test_a_bad_reference_is_refused_and_not_repeated(reference: str):
    assert refused(reference) == "settings.secret_reference"


@pytest.mark.prefect
@pytest.mark.usefixtures("orchestrator")
def test_a_prefect_block_is_read_also_in_a_running_loop():
    from prefect.blocks.system import Secret  # noqa: PLC0415 - a second that no other test here needs

    asyncio.run(Secret(value=SecretStr(SECRET)).asave("our-token"))

    async def within_a_loop() -> str:
        return resolve_secret("block:our-token").get_secret_value()

    assert resolve_secret("block:our-token").get_secret_value() == SECRET
    assert asyncio.run(within_a_loop()) == SECRET
    assert refused("block:no-such-block") == "settings.secret_missing"
