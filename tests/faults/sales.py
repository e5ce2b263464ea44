"""Orders for a story, and an independent checker of their outcome.

It imports nothing of the project: the sheet's writer says what was asked, plain SQL what the ledger holds, the
sandbox's record what the provider holds. Each order has a unique amount, which identifies its invoice everywhere.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import xlsxwriter

from tests.faults.evidence import Record
from tests.faults.journal import journal_faults
from tests.faults.workbooks import this_month

SHOPS: Final = ("99000051000180", "99000052000125")
_CUSTOMERS: Final = (
    ("990.000.001-30", "Rio de Janeiro", "RJ", "20031-170"),
    ("990.000.001-30", "São Paulo", "SP", "01310-100"),
)
_COLUMNS: Final = (
    "CNPJ Emitente", "Pedido", "Tipo de Nota", "Competência", "CPF/CNPJ", "Cliente", "Logradouro", "Número", "Bairro",
    "CEP", "Cidade", "UF", "Código", "Produto", "NCM", "CFOP", "Unidade", "Quantidade", "Preço Unitário",
    "Desconto do Pedido", "CSOSN", "CST PIS", "CST COFINS", "Forma de Pagamento",
)  # fmt: skip
_ENDS: Final = {
    "succeeded": "accepted",
    "rejected": "rejected",
    "cancelled": "cancelled",
    # The tax authority refused to cancel it: it is issued as before.
    "cancel_rejected": "accepted",
}
_KINDS: Final = {"nfe": "NF-e", "nfce": "NFC-e"}

Content = tuple[str, str, int]
"""Issuer, kind and the amount that the customer pays: no two orders share it."""


@dataclass(frozen=True, slots=True)
class Sale:
    """One order of the sheet, two lines and a discount; `cents` is what the customer pays.

    `ends`: the provider's status of its issued invoice at the end; a cancelled one was asked for.
    """

    key: str
    shop: int
    kind: str
    price_cents: int
    ends: str = "succeeded"

    @property
    def cents(self) -> int:
        return 3 * self.price_cents + self.price_cents - 7

    @property
    def content(self) -> Content:
        return (SHOPS[self.shop], self.kind, self.cents)

    def lines(self) -> Iterator[Sequence[str | float]]:
        document, city, state, zip_code = _CUSTOMERS[self.shop]
        order = (SHOPS[self.shop], self.key, _KINDS[self.kind], this_month(), document, "Ana Conceição")
        place = ("Rua das Laranjeiras", "12", "Centro", zip_code, city, state)
        taxes = ("102", "07", "07", "Dinheiro")
        for code, quantity, discount in (("CAN-01", 3, "0,07"), ("CAN-02", 1, "")):
            item = (code, "Caneca", "69120000", "5102", "UN", quantity, self.price_cents / 100, discount)
            yield (*order, *place, *item, *taxes)


def month_of_sales(count: int) -> list[Sale]:
    """Return this many orders, alternating between the shops, every third over the counter."""
    return [Sale(f"P-{n:03}", n % 2, "nfce" if n % 3 == 2 else "nfe", 1_000 + 13 * n) for n in range(count)]


def batch_of_sales(count: int) -> list[Sale]:
    """Return this many orders of one shop and kind."""
    return [Sale(f"P-{n:03}", 0, "nfe", 1_000 + 13 * n) for n in range(count)]


def write_sales(path: Path, sales: Sequence[Sale]) -> Path:
    """Write a workbook with two rows for each order, which are not adjacent."""
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("Vendas")
    sheet.write_row(0, 0, _COLUMNS)
    pairs = [list(sale.lines()) for sale in sales]
    for row, line in enumerate([pair[0] for pair in pairs] + [pair[1] for pair in pairs], start=1):
        sheet.write_row(row, 0, line)
    book.close()
    return path


def sale_faults(
    sales: Sequence[Sale],
    ledger: Mapping[str, list[Record]],
    record: Record,
    *,
    quiet_s: float,
    forgiven: Collection[str] = (),
) -> list[str]:
    """Return violations of the rules that hold at any moment. `forgiven`: kinds of violations to ignore."""
    return [
        *(f"the provider saw {each['kind']}: {each}" for each in record["violations"] if each["kind"] not in forgiven),
        *journal_faults(ledger, quiet_s=quiet_s),
        *_number_clashes(record),
        *_strangers(sales, ledger, record),
        *_unlike(ledger, record),
        *_unapproved(ledger, record),
    ]


def unfinished_sales(sales: Sequence[Sale], ledger: Mapping[str, list[Record]], record: Record) -> list[str]:
    """Return violations of the final rules: one invoice for each order, nothing under way, equal totals."""
    return [*_orders(sales, ledger, record), *_under_way(ledger), *_totals(sales, ledger, record)]


def faults_without_read_back(sales: Sequence[Sale], ledger: Mapping[str, list[Record]], record: Record) -> list[str]:
    """Return violations of the final rules where nothing can be read back: each order is sent once, unknown ones wait.

    Only a request that never had a byte on the wire may be sent again.
    """
    faults = []
    outings = Counter(
        each["invoice_id"] for each in ledger["attempts"] if each["what"] == "post" and each["outcome"] != "not_sent"
    )
    shown = {each["invoice_id"] for each in ledger["incidents"] if each["closed_at"] is None}
    for invoice in ledger["invoices"]:
        if outings[invoice["id"]] != 1:
            faults.append(f"invoice {invoice['id']} went out {outings[invoice['id']]} times")
        if invoice["state"] not in {"processing", "unresolved"}:
            faults.append(f"invoice {invoice['id']} is {invoice['state']}, as if somebody had told us")
        if invoice["state"] == "unresolved" and invoice["id"] not in shown:
            faults.append(f"invoice {invoice['id']} waits for a person whom nobody has told")
        if invoice["state"] == "processing" and invoice["remote_id"] is None:
            faults.append(f"invoice {invoice['id']} is under way, but nobody has answered that")
    if len(ledger["invoices"]) != len(sales):
        faults.append(f"{len(sales)} orders, but {len(ledger['invoices'])} invoices")
    numbers = Counter(map(_number, record["product_invoices"]))
    return [*faults, *(f"{number} was issued {count} times" for number, count in numbers.items() if count > 1)]


def _cents(invoice: Record) -> int:
    return sum(int(Decimal(str(each["valor_do_pagamento"])) * 100) for each in invoice["body"]["forma_de_pagamento"])


def content_of(invoice: Record) -> Content:
    return (invoice["organization_cnpj"], invoice["kind"], _cents(invoice))


def _number(invoice: Record) -> tuple[str, str, int, int]:
    return (invoice["organization_cnpj"], invoice["kind"], invoice["serie"], invoice["number"])


def _number_clashes(record: Record) -> Iterator[str]:
    for number, count in Counter(map(_number, record["product_invoices"])).items():
        if count > 1:
            yield f"{count} invoices stand under the number {number}"


def _ours(ledger: Mapping[str, list[Record]]) -> dict[tuple[str, str, int, int], Record]:
    """Return the ledger's invoices by their numbers."""
    cnpjs = {each["id"]: each["cnpj"] for each in ledger["emitters"]}
    return {
        (cnpjs[each["emitter_id"]], each["kind"], int(each["serie"]), each["number"]): each
        for each in ledger["invoices"]
        if each["number"] is not None
    }


def _strangers(sales: Sequence[Sale], ledger: Mapping[str, list[Record]], record: Record) -> Iterator[str]:
    """Yield invoices without an order, second ones of an order, and those under a number that is not ours."""
    wanted, ours = {sale.content for sale in sales}, _ours(ledger)
    living: defaultdict[Content, list[int]] = defaultdict(list)
    for invoice in record["product_invoices"]:
        if content_of(invoice) not in wanted:
            yield f"invoice {invoice['id']} is for nothing that was sold: {content_of(invoice)}"
        if _number(invoice) not in ours:
            yield f"invoice {invoice['id']} bears {_number(invoice)}, which the ledger does not know"
        if invoice["status"] != "rejected":
            living[content_of(invoice)].append(invoice["id"])
    for content, ids in living.items():
        if len(ids) > 1:
            yield f"{content} was invoiced {len(ids)} times: {ids}"


def _unlike(ledger: Mapping[str, list[Record]], record: Record) -> Iterator[str]:
    """Yield invoices whose ledger id is missing at the provider, or that differ there in number or any cent."""
    there = {each["id"]: each for each in record["product_invoices"]}
    by_a_person = {each["invoice_id"] for each in ledger["incidents"]}
    for number, invoice in _ours(ledger).items():
        if invoice["remote_id"] is None:
            continue
        seen = there.get(invoice["remote_id"])
        if seen is None:
            yield f"invoice {invoice['id']} claims {invoice['remote_id']}, which the provider never had"
        elif (_number(seen), _cents(seen)) != (number, invoice["liquid_cents"]):
            yield f"invoice {invoice['id']} is {number} of {invoice['liquid_cents']}, there {_number(seen)}"
        elif invoice["state"] in _ENDS.values():
            # A person who looked it up says what became of it, and no more.
            is_ours = invoice["id"] not in by_a_person
            errors = [error["description"] for error in invoice["errors"]] if is_ours else seen["errors"]
            if _ENDS.get(seen["status"]) != invoice["state"] or errors != seen["errors"]:
                yield f"invoice {invoice['id']} is {invoice['state']} {errors}, there {seen['status']} {seen['errors']}"
            key = invoice["nfse_key"] if is_ours else seen["access_key"]
            if invoice["state"] == "accepted" and key != seen["access_key"]:
                yield f"invoice {invoice['id']} has another access key than the provider's"


def _unapproved(ledger: Mapping[str, list[Record]], record: Record) -> Iterator[str]:
    """Yield requests to issue without an attempt in the journal, and attempts without an earlier approval.

    A request that the provider refused at once (429) may be repeated within its attempt.
    """
    yes = {each["batch_id"]: each["approved_at"] for each in ledger["approvals"]}
    posts = [attempt for attempt in ledger["attempts"] if attempt["what"] == "post"]
    for attempt in posts:
        if attempt["begun_at"] < yes.get(attempt["batch_id"], float("inf")):
            yield f"attempt {attempt['id']} was begun before anybody had said yes"
    seen = sum(record["requests_by_operation"].get(f"{kind}.create", 0) for kind in _KINDS)
    if seen - record["turned_away"] > len(posts):
        yield f"the provider was asked {seen} times to issue, the journal knows of {len(posts)}"


def _orders(sales: Sequence[Sale], ledger: Mapping[str, list[Record]], record: Record) -> Iterator[str]:
    there: defaultdict[Content, list[Record]] = defaultdict(list)
    for invoice in record["product_invoices"]:
        there[content_of(invoice)].append(invoice)
    known = {each["remote_id"]: each["state"] for each in ledger["invoices"]}
    for sale in sales:
        last = max(there[sale.content], key=lambda each: int(each["id"]), default=None)
        if last is None or _ENDS.get(last["status"]) is None:
            yield f"{sale.key} has no invoice that was decided: {last and last['status']}"
        elif known.get(last["id"]) != _ENDS[last["status"]]:
            yield f"{sale.key} is {last['status']}, for the ledger {known.get(last['id'])}"
        elif last["status"] not in (sale.ends, "rejected"):
            yield f"{sale.key} is {last['status']}, and somebody wanted {sale.ends}"


def _under_way(ledger: Mapping[str, list[Record]]) -> Iterator[str]:
    for table, ends in (
        ("invoices", {"accepted", "rejected", "retired", "cancelled"}),
        ("batches", {"processed", "discarded"}),
        ("rows", {"assembled", "refused"}),
    ):
        yield from (
            f"{table} {each['id']} is still {each['state']}" for each in ledger[table] if each["state"] not in ends
        )
    yield from (f"still open: {each['code']}" for each in ledger["incidents"] if each["closed_at"] is None)


def _totals(sales: Sequence[Sale], ledger: Mapping[str, list[Record]], record: Record) -> Iterator[str]:
    """Yield shops whose accepted total differs between sheet, ledger and provider."""
    issued = [each for each in record["product_invoices"] if _ENDS.get(each["status"]) == "accepted"]
    accepted = {content_of(each) for each in issued}
    sums: dict[str, Counter[str]] = {name: Counter() for name in ("sheet", "ledger", "provider")}
    for sale in sales:
        if sale.content in accepted:
            sums["sheet"][SHOPS[sale.shop]] += sale.cents
    for (cnpj, *_), invoice in _ours(ledger).items():
        if invoice["state"] == "accepted":
            sums["ledger"][cnpj] += invoice["liquid_cents"]
    for invoice in issued:
        sums["provider"][invoice["organization_cnpj"]] += _cents(invoice)
    for cnpj in SHOPS:
        found: dict[str, Any] = {name: counter[cnpj] for name, counter in sums.items()}
        if len(set(found.values())) != 1:
            yield f"{cnpj}: {found}"
