"""An order as the request that issues it: one NF-e or NFC-e, ready to be numbered."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from domain import money
from domain.keys import business_key
from domain.problems import Problem, Where
from domain.products.choices import SHOWN
from domain.products.customers import customer_group, customer_problems, destination_of, is_final_consumer
from domain.products.items import Item, item_groups, item_problems, items_of
from domain.products.lines import ProductKind, ProductLine
from domain.products.orders import Order, order_of
from domain.products.shops import SIMPLE_NATIONAL, Shop
from domain.products.wording import Wording

USUAL_OPERATION: Final = "VENDA DE MERCADORIA"
LARGEST_CENTS: Final = 10**13 - 1
_OUTGOING: Final = 1
_NORMAL: Final = 1
_ACROSS_THE_COUNTER: Final = 1
_NOT_IN_PERSON: Final = 9
_FREIGHT: Final[Mapping[str, int]] = {"none": 9, "sender": 0}
_PAYMENTS: Final[Mapping[str, str]] = {"cash": "01", "credit_card": "03", "debit_card": "04", "bank_slip": "15"}
_CARDS: Final = frozenset({"credit_card", "debit_card"})
_NOT_INTEGRATED: Final = 2
_BANK_SLIP: Final = "bank_slip"


@dataclass(frozen=True, slots=True)
class ProductAmounts:
    """The invoice's totals in cents; `total` is what the customer pays."""

    gross_cents: int
    discount_cents: int
    freight_cents: int
    total_cents: int
    pis_cents: int
    cofins_cents: int

    def to_json(self) -> dict[str, int]:
        """Cents by name."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductInvoice:
    """A request ready to be numbered.

    `content` is the wire body without serie, number, `remote_id` and security codes: what the number's digest is taken
    of. `rows` are the lines it was made of; `remarks` what a person should see before approving it.
    """

    kind: ProductKind
    order_key: str
    rows: tuple[int, ...]
    content: Mapping[str, Any]
    amounts: ProductAmounts
    business_key: str
    competence: date
    remarks: tuple[Problem, ...]


def compose_product_invoice(lines: Sequence[ProductLine], *, shop: Shop) -> ProductInvoice | list[Problem]:
    """The invoice of an order's lines, or everything that is wrong with them, each Problem with its line's row.

    One bad line refuses the order: an invoice without it would be another sale. Raises `ValueError` without lines.
    """
    order = order_of(lines)
    if isinstance(order, list):
        return order
    problems = [*_order_problems(order, shop), *customer_problems(order), *item_problems(order, shop)]
    if not problems:
        problems = list(_amount_problems(order))
    if problems or order.kind is None or order.competence is None or order.taker.document is None:
        return problems
    wording = Wording()
    items = items_of(order)
    amounts = _amounts(items)
    content = _content(order, shop, items, wording)
    if wording.problems:
        return wording.problems
    key = business_key(
        emitter_cnpj=shop.cnpj,
        competence=order.competence,
        # a word in front: an order's number is no service row's own key
        own_key=f"pedido {order.key}",
        taker_document=order.taker.document.number,
        template="",
        service_cents=amounts.total_cents,
        description="",
    )
    return ProductInvoice(
        kind=order.kind,
        order_key=order.key,
        rows=tuple(line.row for line in order.lines),
        content=content,
        amounts=amounts,
        business_key=key,
        competence=order.competence,
        remarks=tuple(wording.remarks),
    )


def _order_problems(order: Order, shop: Shop) -> Iterator[Problem]:
    where = order.where
    needed = {"kind": order.kind, "payment": order.payment}
    yield from (Problem("product.order_lacks", name, where) for name, value in needed.items() if value is None)
    if order.competence is None:
        yield Problem("competence.missing", "competence", where)
    if shop.tax_regime != SIMPLE_NATIONAL:
        yield Problem("product.regime", "emitter_cnpj", where)
    for name, cents in (("order_discount_cents", order.order_discount_cents), ("freight_cents", order.freight_cents)):
        if cents is not None and cents < 0:
            yield Problem("product.negative", name, where)
    if order.freight_cents and order.freight != "sender":
        yield Problem("product.freight_without_sender", "freight_cents", where)
    if order.payment == _BANK_SLIP and order.due_on is None and order.kind != "nfce":
        yield Problem("product.order_lacks", "due_on", where)
    if order.kind == "nfce":
        yield from _counter_problems(order, where)


def _counter_problems(order: Order, where: Where) -> Iterator[Problem]:
    """What an NFC-e has no place for."""
    if order.payment == _BANK_SLIP:
        supported = SHOWN["payment"].rpartition(", ")[0]
        yield Problem("product.unsupported", "payment", where, {"text": "Boleto", "supported": supported})
    if order.freight == "sender":
        yield Problem("product.unsupported", "freight", where, {"text": "Remetente", "supported": "Sem frete"})
    if order.observations:
        yield Problem("product.nfce_without", "observations", where)


def _amount_problems(order: Order) -> Iterator[Problem]:
    """Of an order whose lines are all right by themselves."""
    items = items_of(dataclasses.replace(order, order_discount_cents=None))
    left, discount = sum(item.gross_cents - item.discount_cents for item in items), order.order_discount_cents or 0
    if discount > left:
        params = {"discount": money.format_brl(discount), "amount": money.format_brl(left)}
        yield Problem("product.discount_too_large", "order_discount_cents", order.where, params)
        return
    total = left - discount + (order.freight_cents or 0)
    if not 0 < total <= LARGEST_CENTS:
        yield Problem("product.total", None, order.where, {"amount": money.format_brl(total)})


def _amounts(items: Sequence[Item]) -> ProductAmounts:
    return ProductAmounts(
        gross_cents=sum(item.gross_cents for item in items),
        discount_cents=sum(item.discount_cents for item in items),
        freight_cents=sum(item.freight_cents for item in items),
        total_cents=sum(item.total_cents for item in items),
        pis_cents=sum(item.taxes.pis_cents for item in items),
        cofins_cents=sum(item.taxes.cofins_cents for item in items),
    )


def _content(order: Order, shop: Shop, items: Sequence[Item], wording: Wording) -> dict[str, Any]:
    row = order.lines[0].row
    total = sum(item.total_cents for item in items)
    content: dict[str, Any] = {
        "dados_gerais": {
            "uf": int(shop.city_code[:2]),
            "codigo_mun_ocorrencia": shop.city_code,
            "tipo_operacao": _OUTGOING,
            "finalidade_nfe": _NORMAL,
            "destino_operacao": destination_of(order, shop),
            "indicador_consumidor_final": int(is_final_consumer(order)),
            # who stood in the shop is known of a sale over the counter only [A 2.15]
            "indicador_presenca": _ACROSS_THE_COUNTER if order.kind == "nfce" else _NOT_IN_PERSON,
            "natureza_operacao": wording.take("operation", order.operation or USUAL_OPERATION, 60, row=row),
        },
        "cliente": customer_group(order, wording),
        "produtos": item_groups(items, wording),
        "forma_de_pagamento": [_payment(order.payment or "", total)],
        "transporte": {"codigo_modalidade": _FREIGHT[order.freight or "none"]},
    }
    if order.kind == "nfe":
        said = " | ".join(text for text in (f"Pedido {order.key}", order.observations) if text)
        text = wording.take("observations", said, 5000, row=row)
        content["informacoes_adicionais"] = {"informacoes_contribuinte": text}
    if order.payment == _BANK_SLIP:
        content["cobranca"] = _billing(order, total, wording)
    return content


def _payment(payment: str, total_cents: int) -> dict[str, Any]:
    # the one amount whose type the document shows, and it is a number; two places survive a float unharmed
    group: dict[str, Any] = {
        "tipo_de_pagamento": _PAYMENTS[payment],
        "valor_do_pagamento": float(money.to_wire(total_cents)),
    }
    # the card machine is not connected to us: brand and authorisation are not known [A 2.16]
    return group | ({"tipo_de_integracao": _NOT_INTEGRATED} if payment in _CARDS else {})


def _billing(order: Order, total_cents: int, wording: Wording) -> dict[str, Any]:
    total = money.to_wire(total_cents)
    number = wording.take("order_key", order.key, 60, row=order.lines[0].row)
    due = "" if order.due_on is None else order.due_on.isoformat()
    return {
        "fatura": {
            "numero_fatura": number,
            "valor_original": total,
            "valor_desconto": "0.00",
            "valor_liquido": total,
        },
        "duplicatas": [{"numero": "001", "data_vencimento": due, "valor": total}],
    }
