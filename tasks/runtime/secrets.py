"""Resolve secret references into secrets: a profile never holds the secret itself."""

import os
from collections.abc import Callable
from typing import Final, cast

from pydantic import SecretStr

from domain.problems import Problem, SettingsError

_KINDS: Final = frozenset({"env", "block", "plain"})


def resolve_secret(reference: str) -> SecretStr:
    """Resolve `env:NAME` from the environment, `block:name` from a Prefect secret block, `plain:text` to its text.

    `plain:` is for the sandbox; the settings refuse it outside the local profile. Raises `SettingsError` for a
    reference of another form or without a target, and for a secret with a line break or another unprintable character:
    a file or a copied text adds one, and each log that quotes a header would then reveal the secret. The error names
    the reference, never the secret.
    """
    secret = _resolve(reference)
    if not secret.get_secret_value().isprintable():
        kind, _, name = reference.partition(":")
        reference = kind if kind == "plain" else f"{kind}:{name}"
        raise SettingsError(Problem("settings.secret_unprintable", params={"reference": reference}))
    return secret


def _resolve(reference: str) -> SecretStr:
    kind, _, name = reference.partition(":")
    if kind == "plain" and name:
        return SecretStr(name)
    if kind == "env" and name:
        value = os.environ.get(name)
        if value:
            return SecretStr(value)
        raise SettingsError(Problem("settings.secret_missing", params={"reference": reference}))
    if kind == "block" and name:
        return _from_block(name)
    # A value of another form may be the secret itself, typed in place of its reference.
    raise SettingsError(Problem("settings.secret_reference", params={"reference": kind if kind in _KINDS else "…"}))


def _from_block(name: str) -> SecretStr:
    # Prefect takes more than a second to import: load it only for profiles that keep secrets there.
    from prefect.blocks.system import Secret  # noqa: PLC0415

    # In a running loop the plain call would return a coroutine; the stubs do not know this argument.
    load = cast("Callable[..., Secret[str]]", Secret.load)
    try:
        block = load(name, _sync=True)
    except ValueError as error:
        raise SettingsError(Problem("settings.secret_missing", params={"reference": f"block:{name}"})) from error
    return SecretStr(str(block.get()))
