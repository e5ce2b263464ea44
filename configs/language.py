"""Read the files of profiles: their values, or only their language, without a check of the other settings."""

import functools
import os
import tomllib
from pathlib import Path
from typing import Any, Final

from configs.catalogue import LANGUAGES

PROFILES: Final = Path(__file__).parent / "profiles"
VARIABLE: Final = "FATURISTA_LANGUAGE"


def language_of(*profiles: str) -> str:
    """Return the language of the first profile that names one.

    The variable `FATURISTA_LANGUAGE` comes before any profile, and `base.toml` after all of them. Skip a profile that
    does not exist or cannot be read, so that there is always a language for its error messages.
    """
    wanted = [os.environ.get(VARIABLE, ""), *(_language_in_profile(name) for name in (*profiles, "base"))]
    return next((language for language in wanted if language in LANGUAGES), LANGUAGES[0])


def _language_in_profile(profile: str) -> str:
    path = PROFILES / f"{profile}.toml"
    # A name with a path separator is no profile.
    if path.parent != PROFILES:
        return ""
    try:
        return str(values_of(path).get("language", ""))
    except (OSError, ValueError):
        return ""


def values_of(path: Path) -> dict[str, Any]:
    """Return a profile's values; do not change them. Raises `OSError`, `ValueError`."""
    status = path.stat()
    return _parse_profile(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _parse_profile(path: Path, _mtime_ns: int, _size: int) -> dict[str, Any]:
    """Parse a profile once until its file changes: a command needs its language first and its settings later."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
