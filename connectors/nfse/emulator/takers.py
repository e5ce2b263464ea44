"""Takers: unique by document, found by it."""

import re
from collections.abc import Mapping
from typing import Any, Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.documents import bare, is_cnpj, is_cpf
from connectors.emulation.field_tables import Errors, check
from connectors.emulation.messages import Call, Json, Response, invalid
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator.links import instance_links
from connectors.nfse.emulator.state import EmulatorState

_TAKEN: Final = "Já está cadastrado."
# Not documented, but observed [A notes 1.22]
_SEEN_DEFAULTS: Final[Mapping[str, Json]] = {
    "address": {"street_type": "RUA", "neighborhood_type": "RED"},
    "contact": {},
}
_PHONE: Final = re.compile(r"[0-9 ()+.-]+")
_PHONE_DIGITS: Final = range(8, 14)
_STATE_INSCRIPTION: Final = re.compile(r"ISENT[OA]|P?-?[0-9][0-9./-]*", re.IGNORECASE)
_CHECKS: Final = {"cpf": is_cpf, "cnpj": is_cnpj}


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    takers = Takers(world)
    return {
        "takers.create": takers.create,
        "takers.list": takers.find,
        "takers.read": takers.read,
        "takers.replace": takers.replace,
        "takers.update": takers.update,
        "takers.delete": takers.delete,
    }


class Takers:
    """The customers: unique by document in the account [A notes 1.21]."""

    def __init__(self, world: EmulatorState) -> None:
        self._world = world

    def shown(self, call: Call, taker: Json) -> Json:
        address = f"{call.base}/api/v1/takers/{taker['id']}"
        return {**self._world.tables["taker"].defaults(), **taker, "_links": instance_links(address)}

    def create(self, call: Call) -> Response:
        clean = checked_taker(self._world, call.payload())
        self._refuse_known(clean)
        stored = self._world.takers.add({**clean, "account_id": self._world.account.get("id")})
        location = {"Location": f"{call.base}/api/v1/takers/{stored['id']}"}
        return Response(201, self.shown(call, stored), location, f"taker {clean.get('cnpj') or clean.get('cpf')}")

    def find(self, call: Call) -> Response:
        table = self._world.takers
        filters = table.asked(call, ("cpf", "cnpj", "social_reason"))
        for name in ("cpf", "cnpj"):
            if name in filters:
                filters[name] = bare(filters[name])
        return envelope_page(
            call,
            table.count(filters),
            lambda limit, offset: [self.shown(call, t) for t in table.find(filters, limit, offset)],
        )

    def read(self, call: Call) -> Response:
        return Response(200, self.shown(call, self._world.takers.require(call.id)))

    def replace(self, call: Call) -> Response:
        return self._change(call, is_put=True)

    def update(self, call: Call) -> Response:
        return self._change(call, is_put=False)

    def _change(self, call: Call, *, is_put: bool) -> Response:
        taker = self._world.takers.require(call.id)
        clean = checked_taker(self._world, call.payload() if is_put else _merge_taker(taker, call.payload()))
        self._refuse_known(clean, besides=call.id)
        changed = {"id": call.id, "account_id": taker.get("account_id"), **clean}
        return Response(200, self.shown(call, self._world.takers.replace(changed)))

    def delete(self, call: Call) -> Response:
        self._world.takers.drop(self._world.takers.require(call.id)["id"])
        return Response(204)

    def _refuse_known(self, clean: Json, besides: int | None = None) -> None:
        errors = {
            name: [_TAKEN]
            for name in ("cpf", "cnpj")
            if clean.get(name) and any(t["id"] != besides for t in self._world.takers.find({name: clean[name]}))
        }
        if errors:
            raise invalid(errors)


def checked_taker(world: EmulatorState, payload: Json, contact_table: str = "taker_contact") -> Json:
    """Return a whole taker with address and contact, or refuse it with every error at once.

    Errors of address and contact nest as a list with one object [A notes 1.15].
    """
    may_lack = payload.get("allow_incomplete") is True
    # a customer abroad has neither CPF nor CNPJ [A notes 1.34]
    is_foreign = payload.get("foreign_taker") is True
    required = ("social_reason",) if may_lack or is_foreign else None
    clean, errors = check(world.tables["taker"], payload, required=required, skip=("is_complete", "allow_incomplete"))
    _check_documents(clean, errors)
    check_state_inscription(clean, errors)
    for name, table in (("address", "taker_address"), ("contact", contact_table)):
        if isinstance(payload.get(name), dict):
            part, wrong = check(world.tables[table], payload[name])
            wrong |= _code_errors(world, part) if name == "address" else phone_errors(part)
            clean[name] = {**world.tables[table].defaults(), **_SEEN_DEFAULTS[name], **_normal_part(part)}
            if wrong:
                errors[name] = [wrong]
    if errors:
        raise invalid(errors)
    has_document = bool(clean.get("cpf") or clean.get("cnpj"))
    return {**world.tables["taker"].defaults(), **clean, "is_complete": has_document or is_foreign}


def _check_documents(clean: Json, errors: Errors) -> None:
    if clean.get("cpf") and clean.get("cnpj"):
        errors.update(cpf=["Informe apenas CPF ou CNPJ."], cnpj=["Informe apenas CPF ou CNPJ."])
        return
    for name, is_valid in _CHECKS.items():
        if clean.get(name):
            clean[name] = bare(clean[name])
            if not is_valid(clean[name]):
                errors[name] = [f"{name.upper()} inválido."]


def check_state_inscription(clean: Json, errors: Errors) -> None:
    """Add an error unless the state registration is digits with punctuation, ISENTO or missing [A notes 1.38]."""
    found = clean.get("state_inscription")
    if found and not _STATE_INSCRIPTION.fullmatch(found):
        errors.setdefault("state_inscription", ["Inscrição estadual inválida."])


def phone_errors(part: Json, digits: range = _PHONE_DIGITS) -> Errors:
    """Return the error of a phone number: punctuation is allowed, and a number of digits in `digits` [A notes 1.38]."""
    phone = part.get("phone")
    if not phone or (_PHONE.fullmatch(phone) and sum(sign.isdigit() for sign in phone) in digits):
        return {}
    return {"phone": ["Telefone inválido."]}


def _code_errors(world: EmulatorState, address: Json) -> Errors:
    """Check that street and neighborhood types are codes of the constants (document 000, Address)."""
    codes = world.document["constants"]
    return {
        name: [f"Valor não permitido: {address[name]}."]
        for name in ("street_type", "neighborhood_type")
        if address.get(name) and address[name] not in codes[name]
    }


def _normal_part(part: Json) -> Json:
    if "zip_code" in part:
        part["zip_code"] = f"{part['zip_code']:08d}"  # sent as an integer, returned as text [A notes 1.27]
    return part


def _merge_taker(taker: Json, payload: Json) -> Json:
    """Return a stored taker with the request's changes; an incomplete one may stay incomplete."""
    known: dict[str, Any] = {name: value for name, value in taker.items() if value is not None}
    merged = {"allow_incomplete": not taker.get("is_complete"), **known, **payload}
    for name in ("address", "contact"):
        if isinstance(payload.get(name), dict):
            merged[name] = {**(taker.get(name) or {}), **payload[name]}
    return merged
