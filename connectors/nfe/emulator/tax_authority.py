"""The tax authority: progress of posted invoices, rejections, and the access key.

Nothing runs in the background: before each request, everything due happens with the instant at which it was due.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from connectors.emulation.instants import BRASILIA
from connectors.emulation.messages import Json
from connectors.emulation.repeatable_random import fraction
from connectors.nfe.emulator.state import EmulatorState

_MODELS: Final = {"nfe": "55", "nfce": "65"}
_SHORTEST: Final = 0.4
_CENT: Final = Decimal("0.01")
_PRICES: Final = ("valor_total_produto", "valor_frete", "valor_seguro", "outras_despesas")
_SCRIPTED: Final = (
    "Rejeicao 778: Informado NCM inexistente",
    "Rejeicao 232: IE do destinatario nao informada",
    "Rejeicao 999: Erro nao catalogado",
)
_DUE: Final = "SELECT * FROM product_invoices WHERE due_at <= ? ORDER BY due_at, id LIMIT 500"
_ISSUED_UNDER_SAME_NUMBER: Final = (
    "SELECT id FROM product_invoices WHERE organization_id = ? AND kind = ? AND serie = ? AND number = ?"
    " AND status = 'succeeded' AND id != ?"
)

_DISABLED: Final = (
    "SELECT 1 FROM product_disablements WHERE organization_id = ? AND serie = ? AND ? BETWEEN first AND last"
)


def begin(world: EmulatorState, invoice_id: int) -> None:
    """Pass a posted invoice, or an event of an issued one, to the tax authority."""
    slow = world.faults.choose("city")
    later = float(slow.get("seconds", 60.0)) if slow else 0.0
    share = _SHORTEST + (1 - _SHORTEST) * fraction("product hours", invoice_id)
    due = {
        "seconds": world.now() + world.switches["product_advance_seconds"] * share + later,
        "at_once": world.now() + later,
        "looks": None,
    }[world.switches["product_advance"]]
    world.store.run("UPDATE product_invoices SET due_at = ? WHERE id = ?", (due, invoice_id))


def count_read(world: EmulatorState, invoice_id: int) -> None:
    """Count a read of the invoice: with `product_advance = looks`, the last read decides it."""
    if world.switches["product_advance"] != "looks":
        return
    world.store.run(
        "UPDATE product_invoices SET looks = looks + 1, due_at = CASE WHEN looks + 1 >= ? THEN 0 ELSE due_at END"
        " WHERE id = ? AND status = 'processing'",
        (world.switches["product_advance_looks"], invoice_id),
    )


def advance(world: EmulatorState) -> None:
    """Decide all invoices and events that are due."""
    while rows := world.store.records(_DUE, (world.now(),)):
        for row in rows:
            _decide(world, row)


def change_status(world: EmulatorState, invoice_id: int, was: str | None, becomes: str, at: float) -> None:
    """Change a stored invoice's status and add the change to its history. Nothing else changes a status."""
    world.store.run("UPDATE product_invoices SET status = ? WHERE id = ?", (becomes, invoice_id))
    world.store.run(
        "INSERT INTO product_history (invoice_id, from_status, to_status, at) VALUES (?, ?, ?, ?)",
        (invoice_id, was, becomes, at),
    )


def _decide(world: EmulatorState, row: Json) -> None:
    at = row["due_at"] or world.now()
    until = world.faults.outage(_city_of(world, row), f"product invoice {row['id']}")
    if until is not None:
        world.store.run("UPDATE product_invoices SET due_at = ? WHERE id = ?", (until, row["id"]))
        return
    if row["event"]:
        change_status(world, row["id"], row["status"], row["event"], at)
        world.store.run("UPDATE product_invoices SET event = NULL, due_at = NULL WHERE id = ?", (row["id"],))
        return
    errors = list(_rejections(world, row))
    becomes = "rejected" if errors else "succeeded"
    change_status(world, row["id"], row["status"], becomes, at)
    protocol = None if errors else f"1{row['access_key'][:2]}{row['id']:012d}"
    world.store.run(
        "UPDATE product_invoices SET errors = ?, protocol = ?, decided_at = ?, due_at = NULL WHERE id = ?",
        (json.dumps(errors), protocol, at, row["id"]),
    )
    if not errors and (others := _issued_under_same_number(world, row)):
        where = {"kind_of_invoice": row["kind"], "serie": row["serie"], "number": row["number"]}
        world.store.violate(at, "product_issued_twice", invoice_id=row["id"], others=others, **where)


def _city_of(world: EmulatorState, row: Json) -> Any:
    shop = world.organizations.get(row["organization_id"]) or {}
    return (shop.get("address") or {}).get("city_code")


def _issued_under_same_number(world: EmulatorState, row: Json) -> list[int]:
    key = (row["organization_id"], row["kind"], row["serie"], row["number"], row["id"])
    return [found[0] for found in world.store.all(_ISSUED_UNDER_SAME_NUMBER, key)]


def _rejections(world: EmulatorState, row: Json) -> Iterator[str]:
    if row["is_unbatched"]:
        yield "Rejeicao 452: Solicitada resposta assincrona para Lote com somente 1 (uma) NF-e"
    if row["kind"] == "nfe" and world.store.one(_DISABLED, (row["organization_id"], row["serie"], row["number"])):
        yield "Rejeicao 206: NF-e ja esta inutilizada na Base de Dados da SEFAZ"
    if world.switches["product_duplicate"] == "reject" and _issued_under_same_number(world, row):
        yield "Rejeicao 539: Duplicidade de NF-e, com diferenca na Chave de Acesso"
    yield from _wrong_figures(json.loads(row["body"]))
    # decided by the number and not by the id: a repeated run gets the same rejections
    chance = (world.switches["product_rejection_seed"], row["organization_id"], row["kind"], row["serie"])
    if fraction("product rejected", *chance, row["number"]) < world.switches["product_rejection_share"]:
        yield _SCRIPTED[int(fraction("product reason", *chance, row["number"]) * len(_SCRIPTED))]


def _wrong_figures(body: Json) -> Iterator[str]:
    """Yield figures that differ from the provider's own arithmetic, rounded half up to the cent."""
    total = Decimal(0)
    for product in body["produtos"]:
        price = Decimal(product["quantidade_comercial"]) * Decimal(product["valor_unitario_comercial"])
        if _half_up(price) != Decimal(product["valor_total_produto"]):
            yield "Rejeicao 629: Valor do Produto difere do produto Valor Unitario e Quantidade"
        prices = {name: Decimal(product.get(name, 0)) for name in _PRICES}
        if product.get("ind_valor_total") in (0, "0"):
            del prices["valor_total_produto"]
        total += sum(prices.values()) - Decimal(product.get("valor_desconto", 0))
        yield from _wrong_shares(product["tributacao"])
    paid = sum(Decimal(payment["valor_do_pagamento"]) for payment in body["forma_de_pagamento"])
    if paid != total:
        yield "Rejeicao 865: Total dos pagamentos difere do total da nota"


def _wrong_shares(taxes: Json) -> Iterator[str]:
    for tax in ("pis", "cofins"):
        values = taxes[tax]
        if "valor_base_calculo" in values:
            share = _half_up(Decimal(values["valor_base_calculo"]) * Decimal(values[f"aliquota_{tax}"]) / 100)
            if share != Decimal(values[f"valor_{tax}"]):
                yield f"Rejeicao 598: Valor do {tax.upper()} difere do calculado"


def _half_up(value: Decimal) -> Decimal:
    return value.quantize(_CENT, rounding=ROUND_HALF_UP)


def access_key(shop: Json, kind: str, serie: int, number: int, at: float) -> str:
    """Return the 44 characters that identify an invoice: state, month, CNPJ, model, serie, number."""
    month = datetime.fromtimestamp(at, BRASILIA).strftime("%y%m")
    state = str(shop["address"]["city_code"])[:2]
    chance = int(fraction("access key", shop["cnpj"], kind, serie, number, at) * 10**8)
    head = f"{state}{month}{shop['cnpj']}{_MODELS[kind]}{serie:03d}{number:09d}1{chance:08d}"
    return head + _check_digit(head)


def _check_digit(head: str) -> str:
    weights: Any = (2 + place % 8 for place in range(len(head)))
    rest = sum((ord(sign) - 48) * weight for sign, weight in zip(reversed(head), weights, strict=False)) % 11
    return "0" if rest < 2 else str(11 - rest)
