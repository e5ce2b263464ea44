"""Define the value types of fields, with the sizes that the document gives them, and the base class of groups."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic_core import CoreSchema, core_schema

from connectors.http.redacted_model import RequestModel
from domain.problems import FieldFault

_DECIMAL: Final = re.compile(r"(\d{1,40})(?:\.(\d{1,40}))?", re.ASCII)
_LONGEST_NUMBER: Final = 20


@dataclass(frozen=True, slots=True)
class Words:
    """Text without accents or control characters [A 2.22]: `shortest` to `longest` characters, or one of `allowed`.

    Accepts an integer as its digits.
    """

    longest: int | None = None
    shortest: int = 1
    allowed: tuple[str, ...] | None = None
    is_free: bool = False
    """Whether any character is allowed, as in signed XML."""

    def read(self, value: Any) -> str:
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str) or any(sign == "\0" or 0xD800 <= ord(sign) <= 0xDFFF for sign in text):
            raise FieldFault("record_field.unsendable")
        if not self.is_free and (not text.isascii() or any(sign < " " and sign != "\n" for sign in text)):
            raise FieldFault("record_field.plain_text")
        if len(text) < self.shortest or (self.longest is not None and len(text) > self.longest):
            raise _wrong_length(self.shortest, self.longest)
        if self.allowed is not None and text not in self.allowed:
            raise FieldFault("record_field.one_of", allowed=", ".join(self.allowed))
        return text

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)


def _wrong_length(shortest: int, longest: int | None) -> FieldFault:
    if longest is None:
        return FieldFault("record_field.too_short", limit=shortest)
    return FieldFault("record_field.length", fewest=shortest, most=longest)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number of `fewest` to `digits` digits, or one of `allowed`. It may be given as text.

    Sent as a number, or if `is_text` as text of all `digits`, which keeps a leading zero.
    """

    digits: int | None = None
    allowed: tuple[int, ...] | None = None
    is_text: bool = False
    fewest: int = 1

    def read(self, value: Any) -> int:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER:
            if self.digits is not None and len(value) > self.digits:
                raise FieldFault("record_field.digits", digits=self.digits)
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise FieldFault("record_field.whole")
        if self.digits is not None and value >= 10**self.digits:
            raise FieldFault("record_field.digits", digits=self.digits)
        if len(str(value)) < self.fewest:
            raise _wrong_length(self.fewest, self.digits)
        if self.allowed is not None and value not in self.allowed:
            raise FieldFault("record_field.one_of", allowed=", ".join(map(str, self.allowed)))
        return value

    def write(self, value: int) -> str | int:
        return str(value).zfill(self.digits or 0) if self.is_text else value

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(self.write)
        )


@dataclass(frozen=True, slots=True)
class Decimals:
    """A non-negative decimal of up to `digits` digits with `places` decimal places. Never rounded.

    Sent as text with all places, as text without trailing zeros after `least_places`, or as a number if `is_number` [A
    2.17].
    """

    digits: int
    places: int
    is_number: bool = False
    least_places: int | None = None

    def read(self, value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
            raise FieldFault("record_field.decimal")
        text = f"{value:f}" if isinstance(value, Decimal) else value if isinstance(value, str) else repr(value)
        found = _DECIMAL.fullmatch(text)
        if found is None:
            raise FieldFault("record_field.decimal")
        whole, part = found[1].lstrip("0"), (found[2] or "").rstrip("0")
        if len(whole) > self.digits - self.places or len(part) > self.places:
            raise FieldFault("record_field.decimal_digits", digits=self.digits, places=self.places)
        return Decimal(f"{whole or '0'}.{part or '0'}")

    def write(self, value: Decimal) -> str | float:
        if self.is_number:
            return float(value)
        text = f"{value:.{self.places}f}"
        if self.least_places is None:
            return text
        whole, _, part = text.partition(".")
        return f"{whole}.{part.rstrip('0').ljust(self.least_places, '0')}"

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(self.write)
        )


@dataclass(frozen=True, slots=True)
class Day:
    """A date, given as `date` or ISO text."""

    def read(self, value: Any) -> date:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        try:
            return date.fromisoformat(value)
        except (ValueError, TypeError):
            raise FieldFault("record_field.date") from None

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(date.isoformat)
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant with its time zone, given as `datetime` or ISO text."""

    def read(self, value: Any) -> datetime:
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            found = None
        if not isinstance(found, datetime) or found.tzinfo is None:
            raise FieldFault("record_field.instant")
        return found

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(datetime.isoformat)
        )


Money = Annotated[Decimal, Decimals(15, 2)]
Percent = Annotated[Decimal, Decimals(7, 4)]
PerUnit = Annotated[Decimal, Decimals(15, 4)]
Quantity = Annotated[Decimal, Decimals(16, 4)]
State = Annotated[str, Words(2, 2)]
City = Annotated[int, Whole(digits=7, is_text=True, fewest=7)]


class Group(RequestModel):
    """Base class of an object in a request."""

    def content(self) -> dict[str, Any]:
        """Return the object in its wire form, without fields that are None."""
        return self.model_dump(mode="json", exclude_none=True)
