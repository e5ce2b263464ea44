"""Loading a profile: arguments, then environment (`FATURISTA_NFSE__BASE_URL`), then the profile, then the base.

Whatever is wrong is said in words, all at once, before anything is done.
"""

import functools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from configs.settings import ENV_NESTED, ENV_PREFIX, Settings, UnfitSetting, missing, refuse_ledger
from domain.problems import Problem, SettingsError

PROFILES: Final = Path(__file__).parent / "profiles"
_NUMBERS: Final = frozenset({"int_parsing", "int_type", "float_parsing", "float_type", "int_from_float"})
_BOUNDS: Final = ("ge", "gt", "le", "lt", "min_length", "max_length")


def load_settings(profile: str = "local", overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a profile.

    `overrides`: nested like the profile (`{"nfse": {"in_flight": 4}}`). Raises `SettingsError` whose `details` hold one
    Problem per fault: unknown key, bad value, or values that must not stand together. No Problem repeats a value.
    """
    if profile not in profile_names():
        known = ", ".join(profile_names())
        raise SettingsError(Problem("settings.unknown_profile", params={"profile": profile[:40], "known": known}))
    faults = list(_unknown_variables())
    loaded: Settings | None = None
    try:
        loaded = _loader(PROFILES / f"{profile}.toml")(**{**(overrides or {}), "name": profile})
    except ValidationError as error:
        faults += [_in_words({**each}) for each in error.errors(include_url=False, include_input=False)]
    if loaded is None or faults:
        raise SettingsError(Problem("settings.invalid", params={"profile": profile}), *faults)
    return loaded


def checked_ledger(settings: Settings, url: str) -> str:
    """The ledger's address once a secret reference has become one, or `SettingsError` where production forbids it."""
    try:
        if settings.is_production:
            refuse_ledger(url)
    except UnfitSetting as unfit:
        raise SettingsError(unfit.problem) from unfit
    return url


def profile_names() -> tuple[str, ...]:
    """The profiles that exist, without the base."""
    return tuple(sorted(path.stem for path in PROFILES.glob("*.toml") if path.stem != "base"))


@functools.cache
def _loader(profile: Path) -> type[Settings]:
    """Files and environment are read anew by each of its instances."""

    class Loaded(BaseSettings, Settings):
        model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, env_nested_delimiter=ENV_NESTED)

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            files = (profile, PROFILES / "base.toml")
            return (init_settings, env_settings, *(TomlConfigSettingsSource(settings_cls, path) for path in files))

    return Loaded


def _unknown_variables() -> Iterator[Problem]:
    # names without the double underscore may be secrets that a reference points to
    for name in sorted(os.environ):
        section, nested, _ = name.removeprefix(ENV_PREFIX).partition(ENV_NESTED)
        if name.startswith(ENV_PREFIX) and nested and section.lower() not in Settings.model_fields:
            yield Problem("settings.unknown_key", params={"key": name})


def _in_words(fault: Mapping[str, Any]) -> Problem:
    kind, context = fault["type"], fault.get("ctx", {})
    key = ".".join(str(part) for part in fault["loc"])
    if isinstance(unfit := context.get("error"), UnfitSetting):
        return unfit.problem
    if kind == "missing":
        return missing(key)
    if kind == "extra_forbidden":
        return Problem("settings.unknown_key", params={"key": key})
    if kind in _NUMBERS:
        return Problem("settings.not_a_number", params={"key": key})
    bound = next((context[name] for name in _BOUNDS if name in context), None)
    if bound is not None:
        return Problem("settings.out_of_range", params={"key": key, "bound": str(bound)})
    return Problem("settings.bad_value", params={"key": key})
