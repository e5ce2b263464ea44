"""The value forms of the service-invoice API, and the base of its answer models.

The readers accept the forms that documents and observed answers have. For money, numbers and identity they accept one.
"""

from datetime import date, datetime, time, timedelta, timezone
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ConfigDict

from connectors.http.redacted_model import SparseModel
from connectors.http.wire_values import Integer, bare_document

BRASILIA: Final = timezone(timedelta(hours=-3))


class AnswerModel(SparseModel):
    """A resource in an answer: unknown keys are kept, ids are integers, nothing becomes a float."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True, defer_build=True)

    @property
    def body(self) -> dict[str, Any]:
        """Return the answer by wire names, unknown keys included, with parsed values."""
        return self.model_dump()

    @property
    def links(self) -> dict[str, str]:
        """Return the resource's links: relation → absolute URL.

        They are for people. No call follows one, because a request to another host could send our token there.
        """
        found = (self.model_extra or {}).get("_links")
        items = found if isinstance(found, list) else [found]
        return {
            str(link.get("rel")): str(link.get("href") or link.get("url")) for link in items if isinstance(link, dict)
        }


def _decimal_text(value: Any) -> Any:
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


DecimalText = Annotated[str, BeforeValidator(_decimal_text)]
"""A decimal as the API's text ("938.50"), in any incoming form; `domain.money.from_wire` converts it to cents."""
NumberText = Annotated[str, BeforeValidator(_decimal_text)]
"""A code that the document calls a number and the wire writes as text: `6201-5/00` [A 1.27]."""


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19 else value


Number = Annotated[Integer, BeforeValidator(_number)]
"""An integer that may arrive as its digits."""


CanonicalDocument = Annotated[str | None, BeforeValidator(bare_document)]


def emission_text(instant: datetime) -> str:
    """Return an aware instant in a form that the API cannot misread: Brasília time with its offset [A 1.26]."""
    if instant.tzinfo is None:
        raise ValueError("an emission date needs an offset")
    return instant.astimezone(BRASILIA).isoformat(timespec="seconds")


def read_day(text: str) -> date:
    """Return a calendar day, which may arrive as a date-time [A 1.26].

    Midnight, with any offset, stands for a plain day. Any other time is an instant, and its day is the one in Brasília.
    So the first day of a month never becomes the last day of the month before.
    """
    if len(text) == 10:
        return date.fromisoformat(text)
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or found.time() == time():
        return found.date()
    try:
        return found.astimezone(BRASILIA).date()
    except OverflowError:
        raise ValueError("a day outside of the calendar") from None


Day = Annotated[date, BeforeValidator(lambda value: read_day(value) if isinstance(value, str) else value)]
"""A calendar day."""
