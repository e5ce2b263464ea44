"""Compose an invoice from the lines of each order. Write nothing."""

from collections.abc import Mapping, Sequence

from connectors.ledger import parties as ledger_parties
from connectors.ledger.closings import closed_months
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from domain.competence import competence_problem
from domain.issuing import RemoteEmitter
from domain.left_rows import STOPPED_BY, blocking_code
from domain.problems import Problem
from domain.products.invoices import ProductInvoice, compose_product_invoice, key_of_order
from domain.products.keys import sale_of
from domain.products.lines import ProductLine, by_order
from domain.products.shops import Shop
from tasks.issuance.former_months import former_months
from tasks.issuance.lost_charges import ChargeFacts, post_backup_duplicates
from tasks.issuance.repeats import asks_again, place_problem, without_repeats
from tasks.products.similar_orders import hold_orders
from tasks.runtime import Runtime


async def compose_orders(
    runtime: Runtime, reading: ReadingRecord, groups: Mapping[int, Sequence[RowRecord]]
) -> tuple[dict[int, ProductInvoice], dict[int, Sequence[Problem]]]:
    """Return the orders' invoices by the id of their first row, and the problems of the other orders by row id."""
    shops = await _shops(runtime)
    now = await runtime.ledger.read_async(ledger_now)
    closed = await runtime.ledger.read_async(closed_months)
    composed: dict[int, ProductInvoice] = {}
    barred: dict[int, Sequence[Problem]] = {}
    bad: dict[int, Sequence[Problem]] = {}
    for leader, group in groups.items():
        outcome = _compose(shops, group)
        if not isinstance(outcome, ProductInvoice):
            bad |= problems_by_row(group, outcome)
            continue
        composed[leader] = outcome
        problem = competence_problem(outcome.competence, now, closed)
        if problem is not None:
            barred[leader] = [problem]
    leaders = {leader: group[0] for leader, group in groups.items()}
    ours = {invoice.business_key for invoice in composed.values()}
    composed, repeated = await without_repeats(
        runtime,
        reading,
        composed,
        leaders,
        retried={leader for leader, group in groups.items() if asks_again(group)},
        barred=barred,
        others=await _other_keys(runtime, shops, groups, composed),
    )
    cnpjs = {emitter_id: shop.cnpj for emitter_id, shop in shops.items()}
    held = await hold_orders(runtime, reading, composed, groups, cnpjs, ours=ours)
    composed = {leader: invoice for leader, invoice in composed.items() if leader not in held}
    charges = {
        leader: _charge(invoice, runtime.issuer_of(invoice.kind), shops[groups[leader][0].emitter_id or 0].cnpj)
        for leader, invoice in composed.items()
    }
    lost = await post_backup_duplicates(runtime, reading, charges)
    asked: dict[int, Sequence[Problem]] = {leader: [problem] for leader, problem in held.items()}
    for leader, problems in {**barred, **repeated, **asked}.items():
        bad |= problems_for_all_rows(groups[leader], problems)
    for leader, (serie, number) in lost.items():
        billed = Problem("product.billed_before_loss", "order_key", params={"serie": serie, "number": number})
        bad |= problems_for_all_rows(groups[leader], [billed])
    return {leader: invoice for leader, invoice in composed.items() if leader not in {*barred, *lost}}, bad


async def _other_keys(
    runtime: Runtime,
    shops: Mapping[int, Shop],
    groups: Mapping[int, Sequence[RowRecord]],
    composed: Mapping[int, ProductInvoice],
) -> dict[int, set[str]]:
    """Return the keys of corrected orders in the months in which they were before, by the id of their first row."""
    months = await former_months(runtime, (row for leader in composed for row in groups[leader]))
    return {
        leader: {
            key_of_order(shops[groups[leader][0].emitter_id or 0].cnpj, month, invoice.order_key)
            for row in groups[leader]
            for month in months.get(row.id, ())
        }
        for leader, invoice in composed.items()
    }


def _charge(invoice: ProductInvoice, issuer: str, cnpj: str) -> ChargeFacts:
    sale = sale_of(invoice.content)
    assert sale is not None
    return ChargeFacts(issuer=issuer, cnpj=cnpj, competence=invoice.competence, document=sale[0], cents=sale[1])


def group_orders(records: Sequence[RowRecord]) -> dict[int, list[RowRecord]]:
    """Return the rows of each order by the id of its first row."""
    by_row = {record.row_number: record for record in records}
    orders = by_order(ProductLine.from_json(record.line or {}) for record in records)
    groups = ([by_row[line.row] for line in lines] for lines in orders.values())
    return {group[0].id: group for group in groups}


async def _shops(runtime: Runtime) -> Mapping[int, Shop]:
    """Return the issuers in the form that the rules need, by ledger id."""
    found: dict[int, Shop] = {}
    remote = {each.id: each for each in await runtime.issuer(runtime.issuer_of("nfe")).emitters()}
    for emitter in await runtime.ledger.read_async(ledger_parties.emitters_all):
        if not emitter.is_staged and emitter.remote_id in remote:
            found[emitter.id] = _shop(emitter, remote[emitter.remote_id])
    return found


def _shop(emitter: EmitterRecord, there: RemoteEmitter) -> Shop:
    return Shop(cnpj=emitter.cnpj, state=there.state or "", city_code=emitter.city_code, tax_regime=there.tax_regime)


def _compose(shops: Mapping[int, Shop], group: Sequence[RowRecord]) -> ProductInvoice | Sequence[Problem]:
    emitter_id = group[0].emitter_id
    assert emitter_id is not None
    shop = shops.get(emitter_id)
    if shop is None:
        return [Problem("emitter.vanished", "emitter_cnpj")]
    return compose_product_invoice([ProductLine.from_json(row.line or {}) for row in group], shop=shop)


def problems_for_all_rows(group: Sequence[RowRecord], problems: Sequence[Problem]) -> dict[int, list[Problem]]:
    """Return the order's problems by row: each row of the order gets all of them."""
    return {row.id: [place_problem(row, problem) for problem in problems] for row in group}


def problems_by_row(group: Sequence[RowRecord], problems: Sequence[Problem]) -> dict[int, list[Problem]]:
    """Return the problems of an order by row id.

    Every row gets the problems without a row. A row without a problem gets one that names the row which blocks it.
    """
    problems_of_rows = problems_for_all_rows(group, [problem for problem in problems if problem.where.row is None])
    by_number = {row.row_number: row for row in group}
    for problem in problems:
        if problem.where.row is not None:
            row = by_number.get(problem.where.row, group[0])
            problems_of_rows[row.id].append(place_problem(row, problem))
    other = next(row.row_number for row in group if problems_of_rows[row.id])
    params: dict[str, str | int] = {"order": str((group[0].line or {}).get("order_key", ""))[:40], "other": other}
    params[STOPPED_BY] = blocking_code([problem for found in problems_of_rows.values() for problem in found])
    blocked = Problem("product.order_blocked", "order_key", params=params)
    return {row.id: problems_of_rows[row.id] or [place_problem(row, blocked)] for row in group}
