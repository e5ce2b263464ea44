"""Texts that people typed: equality, fitness for a tax document, and whether a message may repeat them."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import filterfalse
from typing import Final

from domain.problems import Problem


def without_accents(text: str) -> str:
    """Return a text without accents: `Marés` as `Mares`."""
    if text.isascii():
        return text
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))


def folded(text: str) -> str:
    """Return a text for comparison: without accents, in lower case, with single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(without_accents(text).casefold().split())


def folded_charge(text: str) -> str:
    """Return a charge's text for comparison: `folded`, and without punctuation and dashes.

    Other signs, such as + or %, stay: they distinguish products and rates. A text of punctuation alone is only folded.
    """
    whole = folded(text)
    if whole.replace(" ", "").isalnum():
        # Most texts have no such sign, and a test for one costs a tenth of the search.
        return whole
    return " ".join(_SIGN.sub(_space_or_sign, whole).split()) or whole


def is_damaged(name: str) -> bool:
    """Return whether a text lost its letters in a wrong encoding: `AÃ§aÃ­`, `A??cares`, `Ana &amp; Bia`."""
    if "�" in name or ("?" in name and _LOST.search(name)) or ("&" in name and _ENTITY.search(name)):
        return True
    if name.isascii() or not _ODD.search(name):
        return False
    return (_TWICE.search(name) or _OTHER_PAGE.search(name)) is not None


_LOST: Final = re.compile(r"[^\W\d_]\?{1,4}[a-zà-ÿ]")
_ENTITY: Final = re.compile(r"&(?:[a-z]{2,8}|#\d{1,5});", re.IGNORECASE)
_TWICE: Final = re.compile(r"[ÃÂ][\x80-\xbf\u0152-\u2122]|â€")
"""UTF-8 letters that a program read as cp1252."""
_OTHER_PAGE: Final = re.compile(r"[^\W\d_][‚ƒ„†‡ˆ‰‹›¡¢£¤¥¦¨¬¶¿]{1,2}[^\W\d_]|[a-z]Æ[a-z]")
"""Letters of another code page (DOS, an old Mac) that a program read as cp1252: `Manuten‡Æo`."""
_ODD: Final = re.compile("[ÃÂ€‚ƒ„†‡ˆ‰‹›¡¢£¤¥¦¨¬¶¿Æ]")
"""Each match of the two patterns above contains one of these. Searching for them first takes a tenth of the time."""
_NAMED_AT_MOST: Final = 5

_SIGN: Final = re.compile(r"[^\w\s]|_")
_MINUSES: Final = frozenset("\u2212\u2796")
"""Minus signs that Unicode does not class as dashes."""
_MEANINGFUL: Final = frozenset("%")
"""Characters that Unicode classes as punctuation but that carry meaning."""


def _space_or_sign(found: re.Match[str]) -> str:
    sign = found[0]
    category = unicodedata.category(sign)
    if category == "Cf":
        return ""  # an invisible character, such as a soft hyphen
    return " " if (category[0] == "P" and sign not in _MEANINGFUL) or sign in _MINUSES else sign


HIDDEN: Final = "***"
_SECRET_WORDS: Final = re.compile(
    r"(?i)\b(?:bearer|basic) \S|\b(?:senha|password|passwd|token|secret|api.?key)\s*[:=]|-----BEGIN"
)
_PASSWORD: Final = re.compile(r"(?<!\S)(?=\S*[A-Za-z])(?=\S*[0-9])(?=\S*[!#&*?^])\S{8,}")
_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{12,}")
_LETTERED_CNPJ: Final = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_CHANGES: Final = re.compile(r"(?=[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z]|[A-Za-z][A-Z][a-z])")
_CHANGES_OF_A_WORD: Final = 3


def repeatable(text: str) -> str:
    """Return a cell's text in a form that a message may repeat.

    Hide anything like a token, key, password or certificate. Random characters change often between digits, capitals
    and small letters; words and codes hardly do.
    """
    if _SECRET_WORDS.search(text) or _PASSWORD.search(text):
        return HIDDEN
    runs = (run for run in _RUN.findall(text) if not _LETTERED_CNPJ.fullmatch(run))
    return HIDDEN if any(len(_CHANGES.findall(run)) > _CHANGES_OF_A_WORD for run in runs) else text


_OVERRIDES: Final = frozenset("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Invisible characters that break a line or change its direction."""


def visible(text: str) -> str:
    """Return a text where a replacement character stands for each character that a terminal obeys instead of showing.

    Line feeds and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_obeyed(char) else char for char in text)


def _is_obeyed(char: str) -> bool:
    return char in _OVERRIDES or (unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t")


# A spreadsheet may take any of these signs as the separator, or a line inside a text as a new row.
_RUNNABLE: Final = re.compile(r"""^(?=[\t\r\n])|((?:^|[,;|\t\r\n])[ \xa0"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")
"""The last four signs are the full-width forms of the others."""


def escape_formulas(text: str) -> str:
    """Return a text for a CSV with an apostrophe before each part that a spreadsheet would run as a formula."""
    return _RUNNABLE.sub(r"\1'", text)


def text_problem(field: str, text: str, limit: int) -> Problem | None:
    """Return `text.too_long` or `text.characters`, or None.

    Invisible control characters break the city's XML and its signature.
    """
    if len(text) > limit:
        return Problem("text.too_long", field, params={"length": len(text), "limit": limit})
    # test `isprintable` first, which is fast: it is false for every character of these categories
    if not text.isprintable() and any(
        unicodedata.category(c) in {"Cc", "Cs", "Co", "Cn"} and c not in "\n\r\t" for c in text
    ):
        return Problem("text.characters", field)
    return None


def count_and_first(things: Sequence[str | int]) -> dict[str, str | int]:
    """Return parameters for a sentence about some things: how many there are, and a text with the first ones."""
    shown = ", ".join(map(str, things[:_NAMED_AT_MOST])) + (" …" if len(things) > _NAMED_AT_MOST else "")
    return {"count": len(things), "first": shown}
