"""Check request bodies of the order service: a 400 names the wrong fields, or describes the whole body."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from connectors.emulation.documents import bare, is_cnpj, is_cpf
from connectors.emulation.field_tables import REQUIRED, Errors, Table, check
from connectors.emulation.messages import Call, Json, Refusal

_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")
_FORMATS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "email": (lambda text: _EMAIL.fullmatch(text) is not None, "Informe um endereço de e-mail válido."),
    "document": (lambda text: is_cpf(bare(text)) or is_cnpj(bare(text)), "Informe um CPF ou CNPJ válido."),
}


class Checks:
    """Checks by the document's field tables."""

    def __init__(self, document: Mapping[str, Any], tables: Mapping[str, Table]) -> None:
        self._document, self._tables = document, tables

    def order(self, call: Call) -> Json:
        """Check a new order. A discount needs a description [A 3.10]."""
        clean, errors = self._check_fields("order", _body(call))
        pair = ("discount_amount", "discount_description")
        if any(clean.get(name) for name in pair):
            errors.update({name: [REQUIRED] for name in pair if not clean.get(name) and name not in errors})
        if clean.get("discount_amount") == "0.00":
            errors["discount_amount"] = ["Informe um valor maior que zero."]
        # the account could also be named by a code [A 3.14]
        is_nobodys = errors.get("global_account") == [REQUIRED]
        if is_nobodys:
            del errors["global_account"]
        return _refuse_errors(clean, errors, "Informe a conta do cliente." if is_nobodys else "")

    def change(self, call: Call) -> Json:
        """Check a PUT of an order; a company must give its whole address."""
        clean, errors = self._check_fields("order_change", _body(call))
        if is_cnpj(bare(clean.get("document_number", ""))):
            needed = self._document["order_change"]["with_cnpj"]["required"]
            errors.update({name: [REQUIRED] for name in needed if not clean.get(name) and name not in errors})
        return _refuse_errors(clean, errors)

    def adjustment(self, call: Call, resource: str) -> Json:
        """Check an `adjustment` or a `discount`. It must not end before it begins."""
        clean, errors = self._check_fields(resource, _body(call))
        if clean.get("amount") == "0.00":
            errors["amount"] = ["Informe um valor diferente de zero."]
        if clean.get("valid_until", "9999-12-31") < clean.get("valid_from", ""):
            errors["valid_until"] = ["Informe uma data posterior ao início."]
        return _refuse_errors(clean, errors)

    def _check_fields(self, resource: str, body: Mapping[str, Any]) -> tuple[Json, Errors]:
        table = self._tables[resource]
        clean, errors = check(table, body)
        for name, value in clean.items():
            is_right, words = _FORMATS.get(table.fields[name].format or "", (lambda _: True, ""))
            if not is_right(value):
                errors.setdefault(name, [words])
        return clean, errors


def unreadable() -> Refusal:
    """Return the refusal of a body that is not JSON."""
    return Refusal(400, {"errors": ["O corpo deve ser um JSON válido."]})


def _body(call: Call) -> Json:
    if not isinstance(call.body, dict):
        raise Refusal(400, {"errors": ["O corpo deve ser um objeto JSON."]})
    return call.body


def _refuse_errors(clean: Json, errors: Errors, general: str = "") -> Json:
    """Return the checked fields. Refuse wrong ones, and a fault of the whole body (`general`)."""
    body = {"field_errors": errors, "errors": [general] if general else []}
    if any(body.values()):
        raise Refusal(400, {name: found for name, found in body.items() if found})
    return clean
