"""Payloads built from the field tables: every group filled to its sizes, every situation of every tax."""

import tomllib
from pathlib import Path

import connectors.nfe

DOCUMENT = tomllib.loads(Path(connectors.nfe.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
TAXES = ("icms", "ipi", "pis", "cofins")
CPF, CNPJ = "99000000130", "99000010000194"
DOCUMENTS = {"cpf_cnpj": CPF, "pessoa_fisica_juridica": "person"}
USUAL = {"icms": "102", "ipi": "53", "pis": "07", "cofins": "07"}


def base_of(table):
    return DOCUMENT["extends"].get(table)


def fields_of(table):
    """Return the fields of a table, including those of the tables that it extends."""
    own = DOCUMENT.get(table, {}).get("fields", {})
    return {**fields_of(base_of(table)), **own} if base_of(table) else dict(own)


def groups_of(table):
    own = DOCUMENT["groups"].get(table, {})
    return {**groups_of(base_of(table)), **own} if base_of(table) else dict(own)


def largest(entry):
    """Return the largest value of a plain field."""
    kind = entry["type"]
    if "allowed" in entry:
        return entry["allowed"][-1]
    if kind == "string":
        return "x" * entry.get("max", 40)
    if kind == "integer":
        return 10 ** entry.get("digits", 9) - 1
    if kind == "number":
        digits, places = entry["precision"]
        return f"{'9' * (digits - places)}.{'9' * places}"
    return {"object": {}, "boolean": True, "date": "2026-11-20", "date-time": "2026-11-20T12:00:00-03:00"}[kind]


def situation(tax, code, table=None, *, way=0, is_whole=True):
    """Return the fields of a tax in one situation: all that it may have, or only those it needs."""
    (rule,) = [rule for rule in DOCUMENT[tax]["rules"].values() if code in rule["codes"]]
    names = [*rule.get("required", ())]
    if rule.get("either"):
        names += rule["either"][way % len(rule["either"])]
    if is_whole:
        anywhere = DOCUMENT.get(table or tax, {}).get("anywhere", {})
        names += [*rule.get("optional", ()), *anywhere.get("optional", ())]
    fields = fields_of(table or tax)
    names += [name for name, entry in fields.items() if entry.get("required") and name not in names]
    values = {name: largest(fields[name]) for name in names} | {"situacao_tributaria": code}
    return values | ({"situacao_simples_nacional": code} if "situacao_simples_nacional" in values else {})


def group(table, *, is_whole=True):
    """Return an object with all nested objects: every field, or only the required ones."""
    tax = table.removesuffix("_nfce")
    if tax in TAXES:
        return situation(tax, USUAL[tax], table, is_whole=is_whole)
    made, groups, elements = {}, groups_of(table), DOCUMENT["elements"]["fields"]
    for name, entry in fields_of(table).items():
        if not is_whole and not entry.get("required"):
            continue
        if name in groups:
            inner = group(groups[name], is_whole=is_whole)
            made[name] = [inner] if entry["type"] == "array" else inner
        elif name in elements:
            made[name] = [largest(elements[name])]
        else:
            made[name] = largest(entry)
    return made | {name: value for name, value in DOCUMENTS.items() if name in made}


def invoice(kind, *, is_whole=True):
    """Return a document of that kind that the tables allow, including its security code."""
    made = group(kind, is_whole=is_whole)
    if kind == "nfce":
        made["dados_gerais"] |= {"csc": "0123456789ABCDEF", "id_token": "000001"}
    return made


def taxed(kind, tax, values):
    """Return an invoice whose item has this tax."""
    made = invoice(kind)
    made["produtos"][0]["tributacao"][tax] = values
    return made


def places(value, path=()):
    """Yield every path within a payload; the payload itself has the empty path."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def replaced(value, path, new):
    """Return the payload with the value at that path replaced; `...` removes it."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    copy = dict(value) if isinstance(value, dict) else list(value)
    if not rest and new is ...:
        del copy[head]
    else:
        copy[head] = replaced(value[head], rest, new)
    return copy
