"""The value forms of the order service, and the base classes of its answers and requests.

Its instants have no offset: they are read as São Paulo time [A 3.1] with the fixed offset of all our months. So the day
and month on the wire equal those in every report.
"""

import contextlib
import json
import re
from datetime import date, datetime
from typing import Annotated, Any, Final
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from connectors.http import redacted_model
from connectors.http.wire_values import can_be_sent, read_instant
from domain.competence import BRASILIA
from domain.documents import is_cnpj, is_cpf
from domain.money import from_wire, to_wire
from domain.problems import FieldFault

_PLAIN_LENGTH: Final = len("2026-11-20 10:00:00")
_OFFSET: Final = BRASILIA.utcoffset(None)
_MOST_CENTS: Final = 10**10 - 1
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")


class AnswerModel(redacted_model.AnswerModel):
    """An answer. Its text forms show only fields that identify an order."""

    shown = frozenset({"number", "plan_slug", "amount", "slug"})


class RequestModel(redacted_model.RequestModel):
    """A request body. Its fields have the names of the provider's API document."""

    def to_wire(self) -> bytes:
        """Return JSON without missing values."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False).encode()


def _cents(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("not a decimal")
    return from_wire(value)


def _signed_to_wire(cents: int) -> str:
    return f"-{to_wire(-cents)}" if cents < 0 else to_wire(cents)


def _require_bounded(cents: Any) -> int:
    if isinstance(cents, bool) or not isinstance(cents, int) or abs(cents) > _MOST_CENTS:
        raise FieldFault("record_field.amount", digits=len(str(_MOST_CENTS)))
    return cents


def _email(text: str) -> str:
    if not _EMAIL.fullmatch(text) or not can_be_sent(text):
        raise FieldFault("record_field.email")
    return text


def _document(text: str) -> str:
    if not is_cpf(text) and not is_cnpj(text):
        raise FieldFault("record_field.bare_document")
    return text


def _instant(value: Any) -> Any:
    """Parse `YYYY-MM-DD HH:MM:SS` as São Paulo time unless it has an offset. A date means its midnight."""
    if not isinstance(value, str):
        return value
    if len(value) == _PLAIN_LENGTH:
        # A cheaper path for the usual form: three instants in each of many thousand invoices.
        with contextlib.suppress(OverflowError):
            return datetime.fromisoformat(f"{value}+00:00") - _OFFSET
    return read_instant(value)


def _day(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        raise FieldFault("record_field.date") from None


Cents = Annotated[int, BeforeValidator(_cents)]
"""A decimal of the wire as integer cents; a fraction of a cent is refused."""
AskedCents = Annotated[int, BeforeValidator(_require_bounded), PlainSerializer(_signed_to_wire, return_type=str)]
"""Integer cents of a request, sent as a decimal; up to ten digits [A 3.9]."""
Email = Annotated[str, AfterValidator(_email)]
DocumentNumber = Annotated[str, AfterValidator(_document)]
"""A CPF or CNPJ without punctuation."""
Instant = Annotated[datetime, BeforeValidator(_instant)]
Day = Annotated[date, BeforeValidator(_day)]


def last_number(url: str) -> int:
    """Return the id at the end of a resource's URL. Raises `ValueError` if the URL does not end in a number."""
    return int(urlsplit(url).path.rstrip("/").rpartition("/")[2])


def order_path(slug: str, number: int | None = None) -> str:
    """Return the path of a plan's orders, or of one order. The slug is escaped and stays one part of the path."""
    path = f"/api/orders/{quote(slug, safe='')}/"
    return path if number is None else f"{path}{number}/"
