"""Headers that say whether to bill a row by their first word, whatever follows it: `Aprovado pelo sócio`."""

from collections.abc import Mapping
from typing import Final

_SIGNS: Final[Mapping[str, str]] = {
    word: sign
    for sign, words in {
        "status": "situacao status sit",
        "active": "aprovado aprovada autorizado autorizada liberado liberada validado validada",
        "currency": "moeda currency",
        "stopped": "cancelado cancelada canc suspenso suspensa bloqueado bloqueada",
    }.items()
    for word in words.split()
}
_FLAGS: Final = frozenset({"fl", "flag", "flg", "ind", "in", "st"})
"""Words before that word in the field names of programs: `FL_CANC`."""


def sign_of(header: str) -> str | None:
    """Return the sign of a normalised header, None for one that is about something else."""
    words = header.split()
    return _SIGNS.get(words[1] if words[0] in _FLAGS and len(words) > 1 else words[0])
