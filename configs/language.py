"""The language in which a profile speaks, read without loading the profile's other settings."""

import os
import tomllib
from pathlib import Path
from typing import Final

from configs.catalogue import LANGUAGES

PROFILES: Final = Path(__file__).parent / "profiles"
VARIABLE: Final = "FATURISTA_LANGUAGE"


def language_of(*profiles: str) -> str:
    """Return the language of the first profile that names one.

    The environment counts before any profile, and `base.toml` after all of them. A profile that does not exist or
    cannot be read is passed over, so that there is always a language in which to say what is wrong with it.
    """
    wanted = [os.environ.get(VARIABLE, ""), *(_named(name) for name in (*profiles, "base"))]
    return next((language for language in wanted if language in LANGUAGES), LANGUAGES[0])


def _named(profile: str) -> str:
    path = PROFILES / f"{profile}.toml"
    # a name with a separator in it is no profile
    if path.parent != PROFILES:
        return ""
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8")).get("language", ""))
    except (OSError, ValueError):
        return ""
