"""Request models: they check the documented sizes and values before anything is sent.

`XDraft` is a whole resource (POST, PUT), `XChanges` any part of one (PATCH). An amount is the API's text ("938.50") or
a `Decimal`, never an int or float: 1000 might mean cents. A field with None is not sent.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo

from domain.documents import is_cnpj, is_cpf
from domain.problems import FieldFault

_DECIMAL: Final = re.compile(r"([0-9]{1,20})(?:\.([0-9]{1,12}))?")
_UNSENDABLE: Final = re.compile("[\x00\ud800-\udfff]")
_PHONE: Final = re.compile(r"[0-9 ()+.-]+")
_STATE_INSCRIPTION: Final = re.compile(r"ISENT[OA]|P?-?[0-9][0-9./-]*", re.IGNORECASE)
_PLACES: Final = 2
_PUNCTUATION: Final = str.maketrans("", "", "./- ")
_LARGEST: Final = 10**18 - 1


class RequestModel(BaseModel):
    """A strict model: it converts nothing, refuses unknown keys, and quotes no value in its errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, defer_build=True)

    def wire(self) -> dict[str, Any]:
        """Return the request by wire names."""
        return self.model_dump(mode="json", exclude_none=True)


def encode_body(fields: RequestModel | Mapping[str, Any]) -> bytes:
    """Return the bytes of a request. A mapping is sent unchanged, for callers who send an answer back."""
    body = fields.wire() if isinstance(fields, RequestModel) else fields
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def optional_text(longest: int) -> FieldInfo:
    """Return the pydantic field of a text of at most `longest` characters, which may be empty."""
    found: FieldInfo = Field(max_length=longest)
    return found


def required_text(longest: int | None = None) -> FieldInfo:
    """Return the pydantic field of a text of at most `longest` characters, which must not be empty."""
    found: FieldInfo = Field(min_length=1, max_length=longest)
    return found


def digits(most: int) -> FieldInfo:
    """Return the pydantic field of an integer of at most `most` digits."""
    found: FieldInfo = Field(ge=0, lt=10**most)
    return found


def digit_text(fewest: int, most: int) -> AfterValidator:
    """Return the validator of a text of `fewest` to `most` digits."""
    count = str(most) if fewest == most else f"{fewest}–{most}"

    def read(text: str) -> str:
        if not (text.isascii() and text.isdecimal() and fewest <= len(text) <= most):
            raise FieldFault("record_field.digit_text", digits=count)
        return text

    return AfterValidator(read)


def decimal(most: int) -> BeforeValidator:
    """Return the validator of a non-negative decimal of `most` digits, two of them decimal. Its result is text."""

    def read(value: Any) -> str:
        if not isinstance(value, str | Decimal):
            raise FieldFault("record_field.decimal")
        found = _DECIMAL.fullmatch(f"{value:f}" if isinstance(value, Decimal) else value)
        if found is None:
            raise FieldFault("record_field.decimal")
        whole, part = found[1].lstrip("0") or "0", (found[2] or "").rstrip("0")
        if len(whole) > most - _PLACES or len(part) > _PLACES:
            raise FieldFault("record_field.decimal_digits", digits=most, places=_PLACES)
        return f"{whole}.{part.ljust(_PLACES, '0')}"

    return BeforeValidator(read)


def _require_sendable(text: str) -> str:
    if _UNSENDABLE.search(text):
        raise FieldFault("record_field.unsendable")
    return text


def _bare(text: Any) -> Any:
    return text.translate(_PUNCTUATION).upper() if isinstance(text, str) else text


def _cpf(text: str) -> str:
    if not (text.isascii() and is_cpf(text)):
        raise FieldFault("record_field.cpf")
    return text


def _cnpj(text: str) -> str:
    if not (text.isascii() and is_cnpj(text)):
        raise FieldFault("record_field.cnpj")
    return text


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FieldFault("record_field.base64") from None
    return text


def phone(fewest: int, most: int) -> AfterValidator:
    """Return the validator of a phone number of `fewest` to `most` digits with punctuation, or empty [A 1.38]."""

    def read(text: str) -> str:
        if text and not (_PHONE.fullmatch(text) and fewest <= sum(sign.isdigit() for sign in text) <= most):
            raise FieldFault("record_field.phone", fewest=fewest, most=most)
        return text

    return AfterValidator(read)


def _state_inscription(text: str) -> str:
    if text and not _STATE_INSCRIPTION.fullmatch(text):
        raise FieldFault("record_field.state_inscription")
    return text


Words = Annotated[str, AfterValidator(_require_sendable)]
Identity = Annotated[int, Field(ge=1, le=_LARGEST)]
"""The id of a resource at the provider."""
Cpf = Annotated[str, BeforeValidator(_bare), AfterValidator(_cpf)]
Cnpj = Annotated[str, BeforeValidator(_bare), AfterValidator(_cnpj)]
StateInscription = Annotated[str, AfterValidator(_state_inscription)]
"""Digits with their punctuation, or ISENTO [A 1.38]."""
StreetType = Literal[
    "ETR", "PAS", "CAS", "BEC", "FLT", "ILH", "CAM", "LUG", "REC", "CMP", "FAZ", "ROD", "PRA", "PRC", "FAV",
    "BLV", "MRR", "JRD", "ESC", "LTM", "TRV", "ALM", "PQE", "LRG", "LAD", "RUA", "VIL", "AVN", "VIA", "SRV",
]  # fmt: skip
NeighborhoodType = Literal["IND", "COM", "RED"]
Base64 = Annotated[str, Field(min_length=1), AfterValidator(_base64)]
Code = Annotated[Words, required_text(40)] | Annotated[int, Field(ge=0, le=_LARGEST)]
"""A code that the document calls a number and real traffic writes as text: `6201-5/00` [A 1.27]."""
