"""The value forms of the service-invoice API, and the base of its answer models.

The readers accept the forms that documents and observed answers have. For money, numbers and identity they accept one.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict

from connectors.http.wire_values import Integer, read_instant

BRASILIA: Final = timezone(timedelta(hours=-3))

_NOT_DOCUMENT: Final = re.compile(r"[^0-9A-Z]")


class AnswerModel(BaseModel):
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


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_text)]
"""A code or number that arrives as text or as an integer."""


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


def _city_name(value: Any) -> Any:
    return value.get("name") if isinstance(value, dict) else value


CityName = Annotated[str | None, BeforeValidator(_city_name)]
"""A city's name, which may arrive as an object `{name, state, city_code}`."""


def canonical_document(text: Any) -> str | None:
    """Return a CPF or CNPJ without punctuation, in capitals, or None. It is not validated."""
    return _NOT_DOCUMENT.sub("", str(text).upper()) or None if text is not None else None


CanonicalDocument = Annotated[str | None, BeforeValidator(canonical_document)]


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


Instant = Annotated[datetime, BeforeValidator(lambda value: read_instant(value) if isinstance(value, str) else value)]
"""An aware instant in UTC [A 1.26]."""
Day = Annotated[date, BeforeValidator(lambda value: read_day(value) if isinstance(value, str) else value)]
"""A calendar day."""


def read_object(data: Any) -> Mapping[str, Any]:
    """Return `data`, which must be a JSON object."""
    if not isinstance(data, dict):
        raise TypeError("not an object")
    return data
