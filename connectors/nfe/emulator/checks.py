"""The provider's immediate refusals: fields, sizes, characters, and the tax fields of each situation."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from connectors.emulation.documents import is_cnpj, is_cpf
from connectors.emulation.field_tables import Errors, check
from connectors.emulation.messages import Call, Json
from connectors.nfe.emulator.state import EmulatorState

_TAXES: Final = ("icms", "ipi", "pis", "cofins")
_BLANK: Final = "não pode ficar em branco"
_MOST_IN_A_BATCH: Final = 50
_XML: Final = "xml_assinado"


class Checks:
    """Checks of a payload. They return the normalised payload, and the messages by dotted field."""

    def __init__(self, world: EmulatorState) -> None:
        self._world = world

    def wrapped(self, call: Call, key: str) -> Json:
        """Return the object under `key` in the body. Refuse a body without it (422)."""
        inner = _drop_blank(call.body.get(key)) if isinstance(call.body, dict) else None
        if not isinstance(inner, dict):
            raise self._world.invalid({key: [_BLANK]})
        return inner

    def part(self, table: str, raw: Any, *, key: str = "") -> tuple[Json, Errors]:
        """Check an object and its nested groups against the tables. With `key` it may also be under that key."""
        errors: Errors = {}
        inner = raw.get(key) if isinstance(raw, dict) else None
        found = _drop_blank(inner if isinstance(inner, dict) else raw)
        return self._group(table, {} if found is None else found, "", errors), errors

    def invoice(self, kind: str, payload: Json, *, is_signed: bool = False) -> tuple[Json, Errors]:
        """Check every part of an `nfe` or `nfce` against its table."""
        errors: Errors = {}
        clean = self._invoice(kind, f"{kind}_signed" if is_signed else kind, payload, "", errors)
        return clean, errors

    def batch(self, kind: str, payload: Json, *, is_signed: bool = False) -> tuple[Json, Errors]:
        """Check an `nfe_batch` or `nfce_batch`; either may have its documents in `nfes` [A 2.21]."""
        errors: Errors = {}
        name = f"{kind}s"
        if name not in payload and "nfes" in payload:
            payload = {**payload, name: payload["nfes"]}
        bare = {field: value for field, value in payload.items() if field != name}
        table = f"{kind}_batch_signed" if is_signed else f"{kind}_batch"
        clean = self._group(table, {**bare, name: payload.get(name)}, "", errors, skip=name)
        documents = payload.get(name)
        if not isinstance(documents, list) or not 1 <= len(documents) <= _MOST_IN_A_BATCH:
            errors[name] = [f"deve ter de 1 a {_MOST_IN_A_BATCH} documentos"]
            documents = []
        clean[name] = [
            self._invoice(kind, kind, document, f"{name}.{index}", errors) for index, document in enumerate(documents)
        ]
        return clean, errors

    def _invoice(self, kind: str, table: str, raw: Any, field: str, errors: Errors) -> Json:
        clean = self._group(table, raw, field, errors)
        head = f"{field}." if field else ""
        if isinstance(clean.get("cliente"), dict):
            self._customer(kind, clean["cliente"], f"{head}cliente", errors)
        for name in ("forma_de_pagamento", "produtos"):
            if clean.get(name) == []:
                errors[f"{head}{name}"] = [_BLANK]
        if kind == "nfce":
            general = clean.get("dados_gerais") or {}
            errors.update({f"{head}dados_gerais.{n}": [_BLANK] for n in ("csc", "id_token") if not general.get(n)})
        self._extension(raw if isinstance(raw, dict) else {}, clean, head, errors)
        for name, text in _texts({key: value for key, value in clean.items() if key != _XML}, head.rstrip(".")):
            if not text.isascii():
                errors[name] = ["não pode ter acentos"]
            elif any(sign < " " and sign != "\n" for sign in text):
                errors[name] = ["não pode ter caracteres de controle"]
        return clean

    def _group(self, table: str, raw: Any, field: str, errors: Errors, *, skip: str = "") -> Json:
        """Check one object and all nested objects."""
        head = f"{field}." if field else ""
        if not isinstance(raw, dict):
            errors[field] = ["não é um objeto"]
            return {}
        tax = table.removesuffix("_nfce")
        if tax == "icms" and "situacao_simples_nacional" in raw:
            # the document requires this code alone, though it also lists it as a situation [A 2.11]
            raw = {"situacao_tributaria": raw["situacao_simples_nacional"], **raw}
        clean, wrong = check(self._world.tables[table], raw, skip=(skip,))
        errors.update({f"{head}{name}": messages for name, messages in wrong.items()})
        for name in clean:
            clean[name] = self._below(table, name, clean[name], f"{head}{name}", errors)
        if tax in _TAXES:
            for name, messages in self._situation(tax, clean, table):
                errors.setdefault(f"{head}{name}", messages)
        return clean

    def _below(self, table: str, name: str, value: Any, field: str, errors: Errors) -> Any:
        """Check a field's value: its nested groups or its plain elements."""
        inner = self._world.groups.get(table, {}).get(name)
        if inner and isinstance(value, list):
            return [self._group(inner, item, f"{field}.{index}", errors) for index, item in enumerate(value)]
        if inner:
            return self._group(inner, value, field, errors)
        if name in self._world.tables["elements"].fields:
            return [self._element(name, item, f"{field}.{index}", errors) for index, item in enumerate(value)]
        return value

    def _element(self, name: str, item: Any, field: str, errors: Errors) -> Any:
        clean, wrong = check(self._world.tables["elements"], {name: item})
        if wrong or not clean.get(name):
            errors[field] = wrong.get(name, [_BLANK])
        return clean.get(name)

    def _situation(self, tax: str, clean: Json, table: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the fields that the situation's row of the tax tables requires or forbids.

        Drop zeros of fields that it does not have: clients send every field [A 2.30].
        """
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
        for names in rule.get("together", ()):
            required += names if set(names) & clean.keys() else []
        yield from ((name, [_BLANK]) for name in required if name not in clean)
        anywhere = self._world.document.get(table, {}).get("anywhere", {}).get("optional", ())
        allowed = {"situacao_tributaria", *required, *rule.get("optional", ()), *anywhere}
        for name in [name for name in clean if name not in allowed]:
            if str(clean[name]).strip("0."):
                yield name, ["não se aplica a esta situação"]
            else:
                del clean[name]
        if "situacao_simples_nacional" in required and clean.get("situacao_simples_nacional") not in (None, code):
            yield "situacao_simples_nacional", ["não confere com a situação"]

    def _customer(self, kind: str, customer: Json, field: str, errors: Errors) -> None:
        document, person = customer.get("cpf_cnpj", ""), customer.get("pessoa_fisica_juridica")
        is_valid = is_cpf(document) if person == "person" else is_cnpj(document)
        if document and not is_valid:
            errors[f"{field}.cpf_cnpj"] = ["não é válido"]
        if kind == "nfce" and person == "company":
            errors[f"{field}.pessoa_fisica_juridica"] = ["não é permitido em NFC-e"]

    def _extension(self, payload: Mapping[str, Any], clean: Json, head: str, errors: Errors) -> None:
        """Check `remote_id`: free text, but not digits alone. Ignore it while extensions are off."""
        if not self._world.has_extensions or payload.get("remote_id") is None:
            return
        found, wrong = check(self._world.tables["extension"], payload)
        if found.get("remote_id", "x").isdigit():
            wrong = {"remote_id": ["não pode ter apenas números"]}
        errors.update({f"{head}{name}": messages for name, messages in wrong.items()})
        clean.update(found)


def _drop_blank(value: Any) -> Any:
    """Return a value without empty texts and groups, and without groups in which only these and zeros are left.

    They count as absent [A 2.30]; None if nothing is left.
    """
    if isinstance(value, dict):
        kept = {name: found for name, inner in value.items() if (found := _drop_blank(inner)) is not None}
        is_blank = (len(kept) < len(value) or not value) and not any(str(inner).strip("0.") for inner in kept.values())
        return None if is_blank else kept
    if isinstance(value, list):
        items = [_drop_blank(item) if isinstance(item, dict) else item for item in value]
        left = [item for item in items if item is not None]
        return left if left or not value else None
    return None if value == "" else value


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{field}.{name}" if field else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{field}.{index}")
    elif isinstance(value, str):
        yield field, value
