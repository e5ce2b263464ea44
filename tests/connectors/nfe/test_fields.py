"""Compare the client and the composed bodies with the transcribed field tables.

The models and `fields.toml` were written separately from the same document. A name, size, path or filter in only one of
them is a mistake in one of them, or an assumption that has to be listed here.
"""

import dataclasses
import json
import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from pydantic import AliasChoices

import connectors.nfe
from connectors.nfe.invoices import read_invoice
from connectors.nfe.issuing.documents import wire_content
from connectors.nfe.organizations import Organization
from domain.parties import TakerData
from domain.products.invoices import ProductInvoice, compose_product_invoice
from tests.connectors.nfe.samples import RIO, RIO_CNPJ, SECRETS, body
from tests.connectors.nfe.test_batches import batch
from tests.connectors.nfe.test_fiscal import signed
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, SHOP, line

TABLES = tomllib.loads(Path(connectors.nfe.__file__).with_name("fields.toml").read_text(encoding="utf-8"))

# Parts of a request, and the table of each.
PARTS = {
    "dados_gerais": "dados_gerais",
    "cliente": "cliente",
    "cliente.endereco": "endereco",
    "cobranca": "cobranca",
    "cobranca.fatura": "fatura",
    "cobranca.duplicatas": "duplicata",
    "forma_de_pagamento": "forma_de_pagamento",
    "informacoes_adicionais": "informacoes_adicionais",
    "produtos": "produto",
    "produtos.tributacao": "tributacao",
    "transporte": "transporte",
}
TAXES = ("icms", "ipi", "pis", "cofins")
JSON_OF = {"string": "x", "integer": 7, "date-time": "2026-11-20T12:00:00-03:00", "array": ["x"]}

ST = {"icms": "500", "cest": "1003300", "cfop": "5405", "st_rate_bp": 1_800, "substitute_icms_cents": 120}
ORDERS = {
    "cash": [line(order_discount_cents=133), line(row=6, unit_price=Decimal("0.333"), quantity=Decimal("7.5"))],
    "counter": [line(kind="nfce", payment="credit_card")],
    "unnamed": [line(kind="nfce", taker=TakerData())],
    "by document": [line(kind="nfce", taker=TakerData(document=PERSON.document))],
    "substituted": [line(**ST), line(row=6, **ST, st_base_cents=4_000, st_cents=600)],
    "contributions": [line(pis="01", pis_bp=165, cofins="49"), line(row=6, pis="99", cofins="01", cofins_bp=760)],
    "bank slip": [
        line(taker=COMPANY, cfop="6102", payment="bank_slip", due_on=date(2026, 12, 10)),
        line(
            row=6,
            taker=COMPANY,
            payment=None,
            cfop="6101",
            freight="sender",
            freight_cents=1_234,
            observations="Frágil",
        ),
    ],
    "away": [line(taker=dataclasses.replace(PERSON, state="SP", city_code="3550308"), cfop="6108")],
}


def composed(name):
    found = compose_product_invoice(ORDERS[name], shop=SHOP)
    assert isinstance(found, ProductInvoice), found
    return found


def document(name):
    """Return the kind of a composed order's invoice, and its body."""
    invoice = composed(name)
    return invoice.kind, wire_content(invoice.content)


def request_of(client, name, number=1):
    """Return kind and request of a composed order."""
    invoice = composed(name)
    secrets = SECRETS if invoice.kind == "nfce" else {}
    calls = client.of_kind(invoice.kind)
    return invoice.kind, calls.body(
        wire_content(invoice.content), serie=1, number=number, remote_id=f"k-{number}", **secrets
    )


def parts_of(content):
    """Yield every part of a request with its table."""
    for path, table in PARTS.items():
        found = [content]
        for name in path.split("."):
            found = [inner for outer in found for inner in _listed(outer.get(name))]
        yield from ((table, part) for part in found)
    for product in content["produtos"]:
        yield from ((tax, product["tributacao"][tax]) for tax in TAXES)


def _listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", ORDERS)
def test_a_body_has_the_documents_fields_and_sizes(name):
    kind, content = document(name)
    assert set(content) <= set(TABLES[kind]["fields"])
    for table, part in parts_of(content):
        fields = TABLES[table]["fields"] | TABLES.get(f"{table}_{kind}", {}).get("fields", {})
        assert set(part) <= set(fields), table
        for key, value in part.items():
            assert fits(fields[key], value), (table, key, value)


def fits(entry, value):
    if entry["type"] == "string":
        return isinstance(value, str) and value.isascii() and len(value) <= entry.get("max", 5_000)
    if entry["type"] == "integer":
        return str(value).isdigit() and len(str(value)) <= entry.get("digits", 9)
    if entry["type"] == "number":
        whole, _, part = str(value).partition(".")
        digits, decimals = entry["precision"]
        return whole.isdigit() and len(whole) <= digits - decimals and len(part) <= decimals
    return entry["type"] != "date" or bool(date.fromisoformat(value))


@pytest.mark.parametrize("name", ORDERS)
def test_a_body_holds_all_that_is_required(name):
    kind, content = document(name)
    required = {key for key, entry in TABLES[kind]["fields"].items() if entry.get("required")}
    assert required <= set(content)
    for table, part in parts_of(content):
        fields = TABLES[table]["fields"] | TABLES.get(f"{table}_{kind}", {}).get("fields", {})
        lacking = {key for key, entry in fields.items() if entry.get("required")} - set(part)
        assert not lacking, table


@pytest.mark.parametrize("name", ORDERS)
def test_taxes_hold_exactly_what_their_situation_asks_for(name):
    for product in document(name)[1]["produtos"]:
        for tax in TAXES:
            group = product["tributacao"][tax]
            code = group["situacao_tributaria"]
            (rule,) = [rule for rule in TABLES[tax]["rules"].values() if code in rule["codes"]]
            choices = rule.get("either", [[]])
            required = [{"situacao_tributaria", *rule.get("required", ()), *choice} for choice in choices]
            optional = set(rule.get("optional", ()))
            assert any(needed <= set(group) <= needed | optional for needed in required), (tax, group)


def test_every_situation_of_the_tables_has_one_rule():
    for tax in TAXES:
        codes = [code for rule in TABLES[tax]["rules"].values() for code in rule["codes"]]
        assert len(codes) == len(set(codes)), tax
        named = {name for rule in TABLES[tax]["rules"].values() for name in rule.get("required", ())}
        assert named <= set(TABLES[tax]["fields"]), tax


def test_the_provider_issues_what_we_compose(ask, sandbox):
    """The provider's own arithmetic finds nothing wrong with ours."""
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        found = []
        for number, name in enumerate(ORDERS, 1):
            kind, raw = request_of(client, name, number)
            made = await client.of_kind(kind).create(RIO, raw)
            found.append(await client.of_kind(kind).read(RIO, made.id))
        return found

    found = ask(talk)
    assert [(invoice.status, invoice.errors) for invoice in found] == [("succeeded", ())] * len(ORDERS)


def test_a_cent_too_much_is_rejected_by_the_provider(ask, sandbox):
    """This shows that the test above can fail."""
    sandbox.switch(product_advance="at_once")

    async def talk(client):
        kind, raw = request_of(client, "cash")
        request = json.loads(raw)
        payment = request[kind]["forma_de_pagamento"][0]
        payment["valor_do_pagamento"] = f"{payment['valor_do_pagamento'] + 0.01:.2f}"
        made = await client.nfe.create(RIO, json.dumps(request).encode())
        return await client.nfe.read(RIO, made.id)

    assert "865" in ask(talk).errors[0]


def test_every_call_is_a_tables_operation_with_its_filters(ask, sandbox):
    """Make all calls of the client once, as the sandbox recorded them."""

    async def everything(client):
        (shop,) = await client.organizations.find(RIO_CNPJ)
        await client.organizations.upload_certificate(shop.id, pfx=b"x", password="y")
        await client.organizations.create(
            {
                "razao_social": "Loja", "cnpj": "99000053000170", "email": "a@loja.example", "inscricao_estadual": "1",
                "address": {"address": "a", "number": "1", "district": "b", "city": "c", "city_code": 3304557,
                            "state": "RJ", "zipcode": 20050002},
            }
        )  # fmt: skip
        for kind in ("nfe", "nfce"):
            calls = client.of_kind(kind)
            made = await calls.create(RIO, body(client, kind=kind, remote_id=f"{kind}-1"))
            await calls.read(RIO, made.id)
            await calls.find(RIO, f"{kind}-1")
            await calls.latest(RIO, status="processing", limit=5)
        sandbox.switch(product_advance="at_once")
        kept = await client.nfe.create(RIO, body(client, 2, remote_id="kept"))
        sold = await client.nfce.create(RIO, body(client, 2, kind="nfce", remote_id="sold"))
        await client.nfe.read(RIO, kept.id)
        await client.nfe.correct(RIO, "kept", "Leia-se caneca azul")
        await client.nfe.cancel(RIO, kept.id, "Cliente desistiu da compra")
        await client.nfce.cancel(RIO, sold.id, "Cliente desistiu da compra")
        await client.nfe.disable(RIO, 9, 1)
        await client.numerations.create(RIO, serie=9, last_number=1)
        await client.numerations.of_organization(RIO)
        for kind in ("nfe", "nfce"):
            await client.of_kind(kind).authorize(RIO, signed(kind, 3))
            batches = client.nfe_batches if kind == "nfe" else client.nfce_batches
            await batches.create(RIO, batch(kind, (4, 5)))
            await batches.authorize(RIO, batch(kind, (6, 7), is_signed=True))

    ask(everything)
    requests = sandbox.record(requests=True)["requests"]
    assert {request["operation"] for request in requests} == set(TABLES["operations"])
    for request in requests:
        operation = TABLES["operations"][request["operation"]]
        assert set(parse_qs(request["query"] or "")) <= set(operation.get("filters", ())), request
        assert request["status"] == operation["success"], request


class Asked(dict[str, Any]):
    """A mapping that records the requested keys."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.keys_asked = set()

    def get(self, key, default=None):
        self.keys_asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key):
        self.keys_asked.add(key)
        return super().__getitem__(key)


def test_an_invoice_is_read_by_the_tables_names():
    plain = {name: JSON_OF[entry["type"]] for name, entry in TABLES["emission"]["answer"].items()}
    emission, general = Asked(plain), Asked(serie=7, nfe_numero="41")
    answer = {name: JSON_OF.get(entry["type"]) for name, entry in TABLES["invoice"]["answer"].items()}
    invoice = Asked(answer | {"data": {"resposta_emissao": emission, "dados_gerais": general}})
    found = read_invoice(invoice)
    assert invoice.keys_asked == set(TABLES["invoice"]["answer"])
    assert emission.keys_asked <= set(TABLES["emission"]["answer"])
    assert general.keys_asked <= set(TABLES["dados_gerais"]["fields"])
    assert (found.serie, found.number, found.errors) == (7, 41, ("x",))


def test_an_organization_is_read_by_the_tables_names():
    known = set(TABLES["organization"]["fields"]) | set(TABLES["organization"]["answer"])
    for name, field in Organization.model_fields.items():
        alias = field.validation_alias
        names = set(alias.choices) if isinstance(alias, AliasChoices) else {alias or name}
        assert names <= known
