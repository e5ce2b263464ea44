"""Service codes as people spell them: `1.05`, `01.05`, `105`, `1,05`, `Item 1.05`, `01.05 - Licenciamento`."""

import re
from collections.abc import Callable
from typing import Final

from domain.problems import Problem

_SPELLED: Final = re.compile(
    r"(?:(?:sub)?item|c[oó]d(?:igo|\.)?|lc\s*+116)?\s*+[:.\-]?\s*+"
    r"([0-9]{1,6}(?:[.,/][0-9]{1,2}){0,2})(?:\s*+[-–:][^0-9].*|\s++[^0-9\s].*)?",
    re.IGNORECASE | re.DOTALL,
)
_NATIONAL: Final = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})")


def spelled_code(text: str) -> str:
    """Return the code without the word before it and the description after it; return other texts unchanged."""
    found = _SPELLED.fullmatch(text.strip())
    return found[1].replace(",", ".") if found else text.strip()


def read_item(text: str, is_known: Callable[[str], bool]) -> str | Problem:
    """Return an item of the national list as `01.05`; return other codes, such as a city's own, as spelled.

    `1.1` may mean 1.01 or 1.10: accepted where only one of them exists, else `service.item_ambiguous`. An item that is
    not in the list is `service.item_unknown`.
    """
    code = spelled_code(text)
    parts = _NATIONAL.fullmatch(code)
    if not parts:
        return code
    item, service = parts[1].zfill(2), parts[2]
    readings = [f"{item}.{service}"] if len(service) == 2 else [f"{item}.0{service}", f"{item}.{service}0"]
    known = [reading for reading in readings if is_known(reading)]
    if len(known) == 1:
        return known[0]
    params = {"code": code, "readings": ", ".join(known)}
    return Problem("service.item_ambiguous" if known else "service.item_unknown", "service_item_code", params=params)
