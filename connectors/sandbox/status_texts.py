"""The status page's texts in two languages, with each language's forms of numbers and times."""

import re
import tomllib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from connectors.emulation.instants import BRASILIA

LANGUAGES: Final = ("pt_BR", "en")
_FILE: Final = Path(__file__).parent / "words.toml"
_WEIGHTED: Final = re.compile(r"\s*+([A-Za-z]{2})(?:-[A-Za-z0-9-]*+)?\s*+(?:;\s*+q=([0-9.]{1,5}))?\s*+")


class Words:
    """The texts of one language by key, and its forms of numbers and times."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.texts: dict[str, str] = _texts()[language]

    def say(self, key: str, **values: Any) -> str:
        """Return the text of a key; an unknown key is its own text."""
        return self.texts.get(key, key).format(**values)

    def status(self, noun: str, status: str) -> str:
        """Return a status in the gender of its noun."""
        return self.texts.get(f"{noun}_{status}") or self.say(status)

    def number(self, value: int) -> str:
        return f"{value:,}".replace(",", "." if self.language == "pt_BR" else ",")

    def time(self, seconds: float) -> str:
        """Return the time of day in São Paulo."""
        return f"{datetime.fromtimestamp(seconds, BRASILIA):%H:%M:%S}"

    def moment(self, seconds: float) -> str:
        shape = "%d/%m/%Y %H:%M:%S" if self.language == "pt_BR" else "%Y-%m-%d %H:%M:%S"
        return datetime.fromtimestamp(seconds, BRASILIA).strftime(shape)

    @staticmethod
    def span(seconds: float) -> str:
        """Return a duration in its two largest units: "1 d 4 h"."""
        rest, parts = round(seconds), []
        for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
            count, rest = divmod(rest, length)
            if count:
                parts.append(f"{count} {unit}")
        return " ".join(parts[:2]) or "0 s"


def preferred(accepted: str, otherwise: str) -> str:
    """Return the available language that an `Accept-Language` header prefers, else `otherwise`."""
    named: list[tuple[float, str]] = []
    for part in accepted[:500].split(","):
        found = _WEIGHTED.fullmatch(part)
        if found is not None:
            named += [(_weight(found[2]), name) for name in LANGUAGES if name[:2] == found[1].lower()]
    weight, best = max(named, key=lambda pair: pair[0], default=(0.0, otherwise))
    return best if weight else otherwise


def _weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
