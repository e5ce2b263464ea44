"""Parse the integers and instants of an answer. Refuse those that the ledger or a report cannot store."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator

from domain.competence import BRASILIA

_LARGEST: Final = 2**63 - 1
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


def checked_integer(value: int) -> int:
    """Return the integer. Raises `ValueError` for one of more than 64 bits: SQLite would store another number."""
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError("an integer of more than 64 bits")
    return value


Integer = Annotated[int, AfterValidator(checked_integer)]
"""An id or a number."""


def read_id(value: Any) -> int:
    """Return an id, which must be an integer. Raises `TypeError` or `ValueError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("an id is an integer")
    return checked_integer(value)


def read_integer(value: Any) -> int:
    """Return an id or number from an integer or its digits. Raises `ValueError` or `TypeError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("not an integer")
    return checked_integer(int(value))


def read_instant(text: str) -> datetime:
    """Return an aware instant in UTC; without an offset it is Brasília time. Raises `ValueError`.

    An instant in the calendar's last hours means "never" and stays its last instant. One in its first hours, which has
    no date in Brasília, is refused.
    """
    found = datetime.fromisoformat(text)
    aware = found if found.tzinfo else found.replace(tzinfo=BRASILIA)
    try:
        instant = aware.astimezone(UTC)
        instant.astimezone(BRASILIA)
    except OverflowError:
        if found.year == _NEVER.year:
            return _NEVER
        raise ValueError("an instant before the calendar begins") from None
    return instant
