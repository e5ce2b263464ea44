"""Find where each setting of a profile comes from, for a person who asks why it has its value."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from configs.language import PROFILES, values_of
from configs.load import load_settings
from configs.sections import variable_of

HIDDEN: Final = "***"
_USER_INFO: Final = re.compile(r"(?<=://)[^@/\s]+(?=@)")
_SECRET_PARAMETER: Final = re.compile(r"(?i)((?:password|passwd|token|secret|key)=)[^&\s]+")


@dataclass(frozen=True, slots=True)
class Origin:
    """One setting: its dotted key, its displayable value, and the variable or file that gave it."""

    key: str
    value: str
    source: str


def origins(profile: str) -> list[Origin]:
    """Return all settings of a profile in the order of their keys. Raises `SettingsError`."""
    settings = load_settings(profile)
    files = {f"{name}.toml": dict(_flat(values_of(PROFILES / f"{name}.toml"))) for name in (profile, "base")}
    return [Origin(key, masked(value), _source(key, files)) for key, value in sorted(_flat(settings.model_dump()))]


def masked(value: object) -> str:
    """Return a displayable value: without a plain-text secret and without the password of an address."""
    text = str(value)
    if text.startswith("plain:"):
        return f"plain:{HIDDEN}"
    return _SECRET_PARAMETER.sub(rf"\1{HIDDEN}", _USER_INFO.sub(HIDDEN, text))


def _source(key: str, files: Mapping[str, Mapping[str, object]]) -> str:
    """Return the first place that gives the setting, in order of precedence."""
    parts = key.split(".")
    # A whole section may be given at once, as JSON.
    variables = [variable_of(".".join(parts[:length])) for length in range(len(parts), 0, -1)]
    given = {name.upper(): name for name in os.environ}
    named = [given[variable] for variable in variables if variable in given]
    named += [file for file, values in files.items() if key in values]
    return named[0] if named else "–"


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and (value or not prefix):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
