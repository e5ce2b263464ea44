"""Rules about personal data: how long tax documents are kept, and what is erased when a person asks for it."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

_CONTACT: Final = re.compile(r"e-?mail|phone|telefone|celular|contact", re.IGNORECASE)
ERASED: Final = "…"
"""What stands where a text was erased."""
FISCAL_YEARS: Final = 5
"""Years in which the tax authority may still assess a tax (CTN art. 173 and 195)."""


def without_contacts(value: Any) -> Any:
    """Return a JSON value without the entries, at any depth, whose name says e-mail or phone."""
    if isinstance(value, Mapping):
        return {name: without_contacts(each) for name, each in value.items() if not _CONTACT.search(str(name))}
    if isinstance(value, list):
        return [without_contacts(each) for each in value]
    return value


def bare_problems(problems: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return problems as `Problem.to_json` writes them, every text that they repeat of a cell replaced.

    Code, field and place stay: a report still says why a row was refused.
    """
    return [{**each, "params": dict.fromkeys(each["params"], ERASED)} for each in problems]


def kept_until(competence: date, *, years: int) -> date:
    """Return the first day on which an invoice of this competence need not be kept any more.

    The term runs from the first day of the year after the competence.
    """
    return date(competence.year + 1 + years, 1, 1)
