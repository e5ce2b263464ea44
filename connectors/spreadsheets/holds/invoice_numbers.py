"""Recognise the number of an issued invoice in a cell, and the words of a cell that has none."""

import re
from typing import Final

_LONGEST: Final = 100
_NUMBERED: Final = re.compile(
    r"(?:nfs?-?e?|nota|n[o.]?|rps)?[\s.:#-]{0,3}\d[\d./\-\s]{0,58}[a-z]?(?: ?[(–,;-].{0,40})?"
)
_NONE: Final = re.compile(r"[0.\-/ ]{0,20}|pendente|a emitir|emitir|aguardando emissao|nao emitida?|em aberto")


def names_invoice(word: str) -> bool:
    """Return whether a normalized text is an invoice's number, with or without a date behind: `2291 (05/11)`."""
    return len(word) <= _LONGEST and _NUMBERED.fullmatch(word) is not None


def means_no_invoice(word: str) -> bool:
    """Return whether a normalized text in place of a number means that there is no invoice yet."""
    return _NONE.fullmatch(word) is not None
