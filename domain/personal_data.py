"""Rules about personal data: how long tax documents are kept, and which data is erased on a person's request."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

_CONTACT: Final = re.compile(r"e-?mail|phone|telefone|celular|contact", re.IGNORECASE)
ERASED: Final = "…"
"""The text that replaces an erased one."""
FISCAL_YEARS: Final = 5
"""Years in which the tax authority may still assess a tax (CTN art. 173 and 195)."""


def without_contacts(value: Any) -> Any:
    """Return a JSON value without entries whose name contains a word for e-mail or phone, at any depth."""
    if isinstance(value, Mapping):
        return {name: without_contacts(each) for name, each in value.items() if not _CONTACT.search(str(name))}
    if isinstance(value, list):
        return [without_contacts(each) for each in value]
    return value


def bare_problems(problems: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return problems in their JSON form, with every text from a cell replaced.

    Code, field and place stay: a report still shows why a row was refused.
    """
    return [{**each, "params": dict.fromkeys(each["params"], ERASED)} for each in problems]


def erasable_from(competence: date, *, years: int) -> date:
    """Return the first day on which an invoice of this competence may be erased.

    The term runs from the first day of the year after the competence.
    """
    return date(competence.year + 1 + years, 1, 1)
