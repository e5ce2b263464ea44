"""What of a stored value goes when a person is forgotten: contacts everywhere, everything where nothing was billed."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

_CONTACT: Final = re.compile(r"e-?mail|phone|telefone|celular|contact", re.IGNORECASE)
ERASED: Final = "…"
"""What stands where a text was erased."""


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
