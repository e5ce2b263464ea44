"""Convert customers and emitters to and from the provider's JSON (document 000, Taker, Emitter)."""

from collections.abc import Mapping
from typing import Any, Final

from connectors.nfse.emitters import Emitter
from connectors.nfse.takers import Taker
from domain.cities import city_of
from domain.documents import Document
from domain.issuing import RemoteCustomer, RemoteEmitter
from domain.parties import TakerData
from domain.problems import Problem

_ADDRESS: Final = ("street", "number", "complement", "neighborhood", "city_code", "city", "state", "zip_code")
_PERSON: Final[Mapping[str, str]] = {
    "name": "social_reason",
    "fancy_name": "fancy_name",
    "city_inscription": "city_inscription",
    "state_inscription": "state_inscription",
}


def customer_body(data: TakerData) -> dict[str, Any]:
    """Return the body that creates this customer, with the fields that `data` fills.

    The zip code stays text: as an integer it would lose its first zero. The provider has one e-mail field: it gets the
    first. Raises `ValueError` for a customer without a document.
    """
    if data.document is None:
        raise ValueError("a taker without a document cannot be stored")
    return {data.document.kind: data.document.number, **customer_changes(data)}


def customer_changes(data: TakerData) -> dict[str, Any]:
    """Return the body that changes only the fields that `data` fills."""
    body: dict[str, Any] = {wire: value for ours, wire in _PERSON.items() if (value := getattr(data, ours)) is not None}
    address: dict[str, Any] = {name: value for name in _ADDRESS if (value := getattr(data, name)) is not None}
    if data.city_code is not None:
        address["city_code"] = int(data.city_code)
    contact = {"phone": data.phone, "email": data.emails[0] if data.emails else None}
    parts = {"address": address, "contact": {name: text for name, text in contact.items() if text is not None}}
    return body | {name: part for name, part in parts.items() if part}


def customer_data(body: Mapping[str, Any]) -> TakerData:
    """Read a customer's answer. Address and contact may be null, numbers may be text or integers."""
    address, contact = body.get("address") or {}, body.get("contact") or {}
    kind = next((kind for kind in ("cpf", "cnpj") if body.get(kind)), None)
    email = _text(contact.get("email"))
    return TakerData(
        document=None if kind is None else Document(kind, _text(body[kind]) or ""),  # type: ignore[arg-type]
        emails=() if email is None else (email,),
        phone=_text(contact.get("phone")),
        **{ours: _text(body.get(wire)) for ours, wire in _PERSON.items()},
        **{name: _text(address.get(name)) for name in _ADDRESS},
    )


def remote_customer(taker: Taker) -> RemoteCustomer:
    """Convert a taker into a customer of the issuer port."""
    return RemoteCustomer(taker.id, customer_data(taker.body), taker.is_complete)


def remote_emitter(emitter: Emitter) -> RemoteEmitter:
    """Convert an emitter into one of the issuer port, with a `fault` if it cannot issue."""
    return RemoteEmitter(
        id=emitter.id,
        cnpj=emitter.cnpj or "",
        name=emitter.social_reason,
        city_code=emitter.city_code or "",
        city=emitter.city,
        state=emitter.state,
        fault=_fault(emitter),
    )


def _fault(emitter: Emitter) -> Problem | None:
    if not emitter.is_active:
        return Problem("emitter.inactive", "emitter_cnpj", params={"cnpj": emitter.cnpj or ""})
    if city_of(emitter.city_code or "") is None:
        return Problem("emitter.city_unsupported", "emitter_cnpj", params={"city": emitter.city or "?"})
    return None


def _text(value: str | int | None) -> str | None:
    return None if value is None else (str(value).strip() or None)
