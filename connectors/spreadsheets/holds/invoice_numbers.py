"""Recognise the number of an issued invoice in a cell, and the words of a cell that has none."""

import re
from typing import Final

_LONGEST: Final = 100
_NUMBERED: Final = re.compile(
    r"(?:nfs?-?e?|nota|n[o.]?|rps)?[\s.:#-]{0,3}\d[\d./\-\s]{0,58}[a-z]?(?: ?[(–,;-].{0,40})?"
)
_NONE: Final = re.compile(r"[0.\-/ ]{0,20}|pendente|a emitir|emitir|aguardando emissao|nao emitida?|em aberto")


def names_invoice(word: str) -> bool:
    """Return whether plain words are the number of an invoice, with or without its date behind: `2291 (05/11)`."""
    return len(word) <= _LONGEST and _NUMBERED.fullmatch(word) is not None


def names_none(word: str) -> bool:
    """Return whether plain words in place of a number say that there is no invoice yet."""
    return _NONE.fullmatch(word) is not None
