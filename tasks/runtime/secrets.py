"""Turn secret references into secrets: a profile never holds the secret itself."""

import os
from collections.abc import Callable
from typing import Final, cast

from pydantic import SecretStr

from domain.problems import Problem, SettingsError

_KINDS: Final = frozenset({"env", "block", "plain"})


def resolve_secret(reference: str) -> SecretStr:
    """Read `env:NAME` from the environment, `block:name` from a Prefect secret block; `plain:text` is the text itself.

    `plain:` is for the sandbox; the settings refuse it outside the local profile. Raises `SettingsError` when the
    reference has another form or leads nowhere, and when the secret holds a line break or another character that
    cannot be printed: a file or a copied text adds one, and each log that quotes a header would tell the secret. The
    error names the reference, never the secret.
    """
    secret = _resolve(reference)
    if not secret.get_secret_value().isprintable():
        kind, _, name = reference.partition(":")
        told = kind if kind == "plain" else f"{kind}:{name}"
        raise SettingsError(Problem("settings.secret_unprintable", params={"reference": told}))
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
    # What has another form may be the secret itself, typed where its reference belongs.
    raise SettingsError(Problem("settings.secret_reference", params={"reference": kind if kind in _KINDS else "…"}))


def _from_block(name: str) -> SecretStr:
    # Prefect costs more than a second to import: only who keeps secrets there pays for it.
    from prefect.blocks.system import Secret  # noqa: PLC0415

    # Within a running loop the plain call would answer with a coroutine; the types do not know this argument.
    load = cast("Callable[..., Secret[str]]", Secret.load)
    try:
        block = load(name, _sync=True)
    except ValueError as error:
        raise SettingsError(Problem("settings.secret_missing", params={"reference": f"block:{name}"})) from error
    return SecretStr(str(block.get()))
