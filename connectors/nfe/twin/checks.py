"""What the provider refuses at once: fields, sizes, accents, and the tax fields of each situation."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from connectors.nfe.twin.world import World
from connectors.twins.answers import Json
from connectors.twins.documents import is_cnpj, is_cpf
from connectors.twins.fields import Errors, check

_TAXES: Final = ("icms", "ipi", "pis", "cofins")
_REQUIRED_TAXES: Final = ("icms", "pis", "cofins")
_PAYMENT: Final = "forma_de_pagamento"


class Checks:
    """Field → messages of everything that is wrong, by dotted field; and the payload made normal."""

    def __init__(self, world: World) -> None:
        self._world = world

    def invoice(self, kind: str, payload: Mapping[str, Any]) -> tuple[Json, Errors]:
        """An `nfe` or `nfce`: every part against its table."""
        clean, errors = check(self._world.tables[kind], payload)
        for part in ("dados_gerais", "cliente", "transporte", "informacoes_adicionais"):
            if isinstance(clean.get(part), dict):
                clean[part] = self._part(part, clean[part], part, errors)
        if isinstance(clean.get("cliente"), dict):
            clean["cliente"]["endereco"] = self._part(
                "endereco", clean["cliente"].get("endereco") or {}, "cliente.endereco", errors
            )
            self._customer(kind, clean["cliente"], errors)
        for part, table in ((_PAYMENT, _PAYMENT), ("produtos", "produto")):
            rows = clean.get(part) or []
            clean[part] = [self._part(table, row, f"{part}.{index}", errors) for index, row in enumerate(rows)]
            if not rows:
                errors.setdefault(part, ["não pode ficar em branco"])
        for index, product in enumerate(clean["produtos"]):
            self._taxation(product, f"produtos.{index}.tributacao", errors)
        if kind == "nfce":
            self._security_code(clean.get("dados_gerais") or {}, errors)
        self._extension(payload, clean, errors)
        errors.update({field: ["não pode ter acentos"] for field, text in _texts(clean, "") if not text.isascii()})
        return clean, errors

    def _part(self, table: str, raw: Any, field: str, errors: Errors) -> Json:
        clean, wrong = check(self._world.tables[table], raw if isinstance(raw, dict) else {})
        errors.update({f"{field}.{name}": messages for name, messages in wrong.items()})
        return clean

    def _customer(self, kind: str, customer: Json, errors: Errors) -> None:
        document, person = customer.get("cpf_cnpj", ""), customer.get("pessoa_fisica_juridica")
        is_valid = is_cpf(document) if person == "person" else is_cnpj(document)
        if document and not is_valid:
            errors["cliente.cpf_cnpj"] = ["não é válido"]
        if kind == "nfce" and person == "company":
            errors["cliente.pessoa_fisica_juridica"] = ["não é permitido em NFC-e"]

    def _taxation(self, product: Json, field: str, errors: Errors) -> None:
        raw = product.get("tributacao") or {}
        product["tributacao"], wrong = check(self._world.tables["tributacao"], raw)
        errors.update({f"{field}.{name}": messages for name, messages in wrong.items()})
        for tax in _TAXES:
            if isinstance(raw.get(tax), dict):
                clean = self._part(tax, raw[tax], f"{field}.{tax}", errors)
                product["tributacao"][tax] = clean
                errors.update({f"{field}.{tax}.{name}": text for name, text in self._situation(tax, clean)})

    def _situation(self, tax: str, clean: Json) -> Iterator[tuple[str, list[str]]]:
        """What the situation's row of the tax tables demands and what it has no place for."""
        code = clean.get("situacao_tributaria")
        rules: Mapping[str, Json] = self._world.document[tax]["rules"]
        rule = next((rule for rule in rules.values() if code in rule["codes"]), None)
        if rule is None:
            if code is not None:
                yield "situacao_tributaria", ["não está incluído na lista"]
            return
        required = list(rule.get("required", ()))
        choices: list[list[str]] = rule.get("either", [])
        if choices:
            required += next((names for names in choices if set(names) <= clean.keys()), choices[0])
        yield from ((name, ["não pode ficar em branco"]) for name in required if name not in clean)
        allowed = {"situacao_tributaria", *required, *rule.get("optional", ())}
        yield from ((name, ["não se aplica a esta situação"]) for name in clean if name not in allowed)
        if "situacao_simples_nacional" in required and clean.get("situacao_simples_nacional") not in (None, code):
            yield "situacao_simples_nacional", ["não confere com a situação"]

    def _security_code(self, general: Json, errors: Errors) -> None:
        for name in ("csc", "id_token"):
            if not general.get(name):
                errors[f"dados_gerais.{name}"] = ["não pode ficar em branco"]

    def _extension(self, payload: Mapping[str, Any], clean: Json, errors: Errors) -> None:
        """`remote_id` is the caller's own text, and not digits alone; without extensions it is an unknown key."""
        if not self._world.has_extensions or payload.get("remote_id") is None:
            return
        found, wrong = check(self._world.tables["extension"], payload)
        if found.get("remote_id", "x").isdigit():
            wrong = {"remote_id": ["não pode ter apenas números"]}
        errors.update(wrong)
        clean.update(found)


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{field}.{name}" if field else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{field}.{index}")
    elif isinstance(value, str):
        yield field, value
