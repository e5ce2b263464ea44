"""Read a profile's language without loading the profile's other settings."""

import os
import tomllib
from pathlib import Path
from typing import Final

from configs.catalogue import LANGUAGES

PROFILES: Final = Path(__file__).parent / "profiles"
VARIABLE: Final = "FATURISTA_LANGUAGE"


def language_of(*profiles: str) -> str:
    """Return the language of the first profile that names one.

    The environment comes before any profile, and `base.toml` after all of them. Skip a profile that does not exist or
    cannot be read, so that there is always a language for its error messages.
    """
    wanted = [os.environ.get(VARIABLE, ""), *(_named(name) for name in (*profiles, "base"))]
    return next((language for language in wanted if language in LANGUAGES), LANGUAGES[0])


def _named(profile: str) -> str:
    path = PROFILES / f"{profile}.toml"
    # A name with a path separator is no profile.
    if path.parent != PROFILES:
        return ""
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8")).get("language", ""))
    except (OSError, ValueError):
        return ""
