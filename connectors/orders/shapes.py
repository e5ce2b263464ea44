"""How the order service writes its values, and the base of its answer models.

Its instants have no offset: they are read as São Paulo's time [A 3.1], with the fixed offset that every month of ours
is counted in, so that the day and month on the wire are the day and month of every report.
"""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from urllib.parse import quote

from pydantic import BaseModel, BeforeValidator, ConfigDict

from domain.competence import BRASILIA
from domain.money import from_wire

_PLAIN_LENGTH: Final = len("2026-11-20 10:00:00")
_OFFSET: Final = BRASILIA.utcoffset(None)


class AnswerModel(BaseModel):
    """A resource as the service answers it: unknown keys are kept, nothing is coerced to a float."""

    model_config = ConfigDict(frozen=True, extra="allow")


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _cents(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("not a decimal")
    return from_wire(value)


def _instant(value: Any) -> Any:
    """`YYYY-MM-DD HH:MM:SS`, São Paulo's; one with an offset is taken at its word. A date is its first minute."""
    if not isinstance(value, str):
        return value
    if len(value) == _PLAIN_LENGTH:
        # the usual shape, three times in each of many thousand invoices
        return datetime.fromisoformat(f"{value}+00:00") - _OFFSET
    found = datetime.fromisoformat(value)
    return (found if found.tzinfo else found.replace(tzinfo=BRASILIA)).astimezone(UTC)


def _day(value: Any) -> Any:
    return date.fromisoformat(value[:10]) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text)]
"""Numbers of houses and codes, which may come as integers."""
Cents = Annotated[int, BeforeValidator(_cents)]
"""A decimal of the wire in integer cents; one with a fraction of a cent is refused."""
Instant = Annotated[datetime, BeforeValidator(_instant)]
Day = Annotated[date, BeforeValidator(_day)]


def instant_to_wire(at: datetime) -> str:
    """An aware instant as the service compares it. `ValueError` for a naive one."""
    if at.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return f"{at.astimezone(BRASILIA):%Y-%m-%d %H:%M:%S}"


def order_path(slug: str, number: int | None = None) -> str:
    """The path of a plan's orders, or of one of them. The slug is somebody's text: it stays one part of the path."""
    path = f"/api/orders/{quote(slug, safe='')}/"
    return path if number is None else f"{path}{number}/"
