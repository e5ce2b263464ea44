"""Load a profile. Precedence: arguments, environment (`FATURISTA_NFSE__BASE_URL`), the profile's file, `base.toml`.

Report all mistakes at once, as problems with sentences, before any other work.
"""

import difflib
import functools
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from configs.language import PROFILES, values_of
from configs.sections import ENV_NESTED, ENV_PREFIX, UnfitSetting, missing_setting, variable_of
from configs.settings import Settings, refuse_ledger
from domain.problems import Problem, SettingsError

_REFERENCE: Final = re.compile(r"\benv:([A-Za-z_][A-Za-z0-9_]*)")
_OTHER_VARIABLES: Final = frozenset({"FATURISTA_PROFILE", "FATURISTA_PERSON", "FATURISTA_PERSON_SECRET_FILE"})
"""Variables of the command line and of the deployments, which are not settings."""
_IN_SOURCE: Final = ENV_PREFIX.lower()
"""Prefix of our variables in lower case, as pydantic's environment source stores them."""
_SECTIONS: Final = frozenset(Settings.model_fields)
_NUMBERS: Final = frozenset({"int_parsing", "int_type", "float_parsing", "float_type", "int_from_float"})
_BOUNDS: Final = ("ge", "gt", "le", "lt", "min_length", "max_length")


def load_settings(profile: str = "local", overrides: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings of a profile.

    `overrides`: nested like the profile (`{"nfse": {"in_flight": 4}}`). Raises `SettingsError` whose `details` hold one
    Problem per fault: unknown key, bad value, or values that contradict each other. No Problem repeats a value.
    """
    if profile not in profile_names():
        known = ", ".join(profile_names())
        raise SettingsError(Problem("settings.unknown_profile", params={"profile": profile[:40], "known": known}))
    return _load(profile, overrides) if overrides else _load_cached(profile, _variables(), _files())


@functools.lru_cache(maxsize=4)
def _load_cached(profile: str, variables: object, files: object) -> Settings:  # noqa: ARG001 - they tell settings apart
    """Return the cached settings of these files and variables: a worker asks for them at each step."""
    return _load(profile, None)


def _variables() -> tuple[tuple[str, str], ...]:
    """Return the environment variables with our prefix, in upper or lower case, sorted by name."""
    return tuple(sorted(each for each in os.environ.items() if each[0].upper().startswith(ENV_PREFIX)))


def _files() -> tuple[tuple[str, int, int], ...]:
    """Return name, time of change (ns) and size (bytes) of each profile's file, as keys of the cache."""
    found = ((path.name, path.stat()) for path in sorted(PROFILES.glob("*.toml")))
    return tuple((name, status.st_mtime_ns, status.st_size) for name, status in found)


def _load(profile: str, overrides: Mapping[str, Any] | None) -> Settings:
    faults = list(_unknown_variables(_references()))
    loaded: Settings | None = None
    try:
        loaded = _loader(PROFILES / f"{profile}.toml")(**{**(overrides or {}), "name": profile})
    except ValidationError as error:
        faults += [_in_words({**each}) for each in error.errors(include_url=False, include_input=False)]
    if loaded is None or faults:
        raise SettingsError(Problem("settings.invalid", params={"profile": profile}), *faults)
    return loaded


def require_allowed_ledger(settings: Settings, url: str) -> str:
    """Return the ledger's address, whose secret reference is resolved, unchanged.

    Raises `SettingsError` if the profile forbids this address in production.
    """
    try:
        if settings.is_production:
            refuse_ledger(url)
    except UnfitSetting as unfit:
        raise SettingsError(unfit.problem) from unfit
    return url


def profile_names() -> tuple[str, ...]:
    """Return the names of the profiles that exist, without the base."""
    return tuple(sorted(path.stem for path in PROFILES.glob("*.toml") if path.stem != "base"))


@functools.cache
def _loader(profile: Path) -> type[Settings]:
    """Return a settings class that reads files and environment again for each instance."""

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
            assert isinstance(env_settings, EnvSettingsSource)
            # Pydantic searches all variables for each section: keep only ours.
            ours = {name: value for name, value in env_settings.env_vars.items() if name.startswith(_IN_SOURCE)}
            env_settings.env_vars = ours
            return (init_settings, env_settings, *(InitSettingsSource(settings_cls, values_of(path)) for path in files))

    return Loaded


@functools.cache
def _our_variables() -> frozenset[str]:
    return frozenset({*_OTHER_VARIABLES, *map(variable_of, keys_of(Settings)), *map(variable_of, _SECTIONS)})


def _unknown_variables(references: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each variable with our prefix that is neither a setting nor a secret.

    Args:
        references: Names of variables that some profile names as the place of a secret.
    """
    known = _our_variables() | frozenset(references)
    for name in sorted(os.environ):
        if not name.startswith(ENV_PREFIX) or name in known:
            continue
        section, nested, _ = name.removeprefix(ENV_PREFIX).partition(ENV_NESTED)
        # The settings check the keys within a section; see `_in_words`.
        if not (nested and section.lower() in _SECTIONS):
            yield unknown_setting(name, known)


def _unknown_key(key: str) -> Problem:
    """Return the problem of an unknown key. If an environment variable set the key, the problem names the variable."""
    variable = variable_of(key)
    if any(name.upper() == variable for name in os.environ):
        return unknown_setting(variable, list(map(variable_of, keys_of(Settings))))
    return unknown_setting(key, list(keys_of(Settings)))


def unknown_setting(key: str, known: Collection[str]) -> Problem:
    """Return the problem of an unknown setting, with the most similar known one."""
    # The common prefix would make any two variables look alike.
    bare = {each.removeprefix(ENV_PREFIX): each for each in known}
    for near in difflib.get_close_matches(key.removeprefix(ENV_PREFIX), bare, n=1, cutoff=0.7):
        return Problem("settings.mistyped_key", params={"key": key, "near": bare[near]})
    return Problem("settings.unknown_key", params={"key": key})


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all settings of a model."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys_of(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _references() -> set[str]:
    """Return the names of all variables that a profile or the environment names as the place of a secret."""
    given = [value for name, value in os.environ.items() if name.startswith(ENV_PREFIX)]
    return {*_named_in(_files()), *(name for text in given for name in _REFERENCE.findall(text))}


@functools.lru_cache(maxsize=2)
def _named_in(files: tuple[tuple[str, int, int], ...]) -> frozenset[str]:
    texts = [(PROFILES / name).read_text(encoding="utf-8") for name, _, _ in files]
    return frozenset(name for text in texts for name in _REFERENCE.findall(text))


def _in_words(fault: Mapping[str, Any]) -> Problem:
    kind, context = fault["type"], fault.get("ctx", {})
    key = ".".join(str(part) for part in fault["loc"])
    if isinstance(unfit := context.get("error"), UnfitSetting):
        return unfit.problem
    if kind == "missing":
        return missing_setting(key)
    if kind == "extra_forbidden":
        return _unknown_key(key)
    if kind in _NUMBERS:
        return Problem("settings.not_a_number", params={"key": key})
    bound = next((context[name] for name in _BOUNDS if name in context), None)
    if bound is not None:
        return Problem("settings.out_of_range", params={"key": key, "bound": str(bound)})
    return Problem("settings.bad_value", params={"key": key})
