"""Sales that were invoiced after the copy from which the ledger was restored: all that is known is the invoice."""

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.files import ReadingRecord
from connectors.ledger.keeping.audits import series_of
from connectors.ledger.keeping.quarantine import CHARGE, lost_charges, undecided_charges
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.sql import now as ledger_now
from connectors.nfe.invoices import Invoice
from domain.competence import BRASILIA, add_months, first_of_month
from domain.money import format_brl
from domain.problems import Problem
from domain.products.invoices import ProductInvoice
from domain.products.keys import parse_access_key, sale_key, sale_of
from domain.products.statuses import invoice_state
from domain.states import InvoiceState
from tasks.products.channel import InvoiceChannel
from tasks.protocol.hold import Hold
from tasks.protocol.lost import stop_for
from tasks.runtime import Runtime

HIDDEN: Final = "restore.sales_hidden"
_LISTED: Final = 100
_DEAD: Final = frozenset({InvoiceState.REJECTED, InvoiceState.CANCELLED})


async def lost_invoices(runtime: Runtime, issuer: EmitterRecord) -> list[Problem]:
    """Of the issuer's newest invoices those beyond the numbers that a restored ledger knows; needs the extensions.

    `HIDDEN` tells how many there may be besides whose orders would not be known again.
    """
    channel = InvoiceChannel(runtime, issuer, "nfe" if issuer.kind == "nfe" else "nfce")
    newest = await channel.calls.latest(issuer.remote_id, limit=_LISTED)
    following = {runtime.settings.products.serie_of(issuer.kind): 1}
    following |= {each.serie: each.next_number for each in await runtime.ledger.reading(series_of, issuer.id)}
    found: list[Problem] = []
    for serie, first in sorted(following.items()):
        placed = [(place, there) for there in newest if (place := channel.place_of(there)) and place[0] == serie]
        lost = {there.id: await _finding(channel, place, there) for place, there in placed if place[1] >= first}
        count = _unseen(list(lost.values()), first, is_whole=len(newest) < _LISTED)
        found += sorted(lost.values(), key=lambda each: each.params["number"])
        if count:
            found.append(Problem(HIDDEN, params={"cnpj": issuer.cnpj, "serie": serie, "count": count}))
    return found


def _unseen(told: list[Problem], first: int, *, is_whole: bool) -> int:
    """How many invoices from number `first` on may live although no order would be held back for them.

    A number that a whole list does not show was never issued.
    """
    numbers = {int(each.params["number"]) for each in told}
    gaps = 0 if is_whole or not numbers else max(numbers) - first + 1 - len(numbers)
    return gaps + sum(CHARGE not in each.params and _lives(str(each.params["status"])) for each in told)


def _lives(status: str) -> bool:
    """What nobody can tell may live."""
    return invoice_state(status) not in _DEAD


async def _finding(channel: InvoiceChannel, place: tuple[str, int], there: Invoice) -> Problem:
    """An invoice nobody here knows; if it lives, with the key by which its order is known again."""
    issuer = channel.issuer
    # a list may tell less than the invoice itself
    sale = sale_of(there.told.get("data"))
    if sale is None:
        sale = sale_of((await channel.calls.read(issuer.remote_id, there.id)).told.get("data"))
    issued = there.issued_at.astimezone(BRASILIA).date() if there.issued_at else None
    params: dict[str, str | int] = {
        "emitter": issuer.id,
        "cnpj": issuer.cnpj,
        "serie": place[0],
        "number": place[1],
        "invoice": there.id,
        "status": there.status[:40],
        "issued": f"{issued:%d/%m/%Y}" if issued else "?",
        "amount": format_brl(sale[1]) if sale else "?",
    }
    if sale is not None and _lives(there.status):
        key = parse_access_key(there.access_key) if there.access_key else None
        month = key.month if key else first_of_month(issued or await _today(channel.runtime))
        params[CHARGE] = sale_key(issuer.cnpj, month, sale)
    return Problem("restore.invoice_unknown", params=params)


async def lost_before(
    runtime: Runtime, reading: ReadingRecord, composed: Mapping[int, ProductInvoice], cnpjs: Mapping[int, str]
) -> dict[int, list[Problem]]:
    """Why orders of `composed` are held back, by the id of their first row; so `cnpjs` gives their issuers.

    Such an invoice has their issuer, customer and total, and was issued in their month or later: no month is billed
    before it comes. An order that only looks like it is held back as well, until a person allows repeats.
    """
    lost = await runtime.ledger.reading(lost_charges)
    if not lost or reading.options.get("allow_repeats"):
        return {}
    today = await _today(runtime)
    held: dict[int, list[Problem]] = {}
    for leader, invoice in composed.items():
        found = _found_for(lost, cnpjs[leader], invoice.competence, invoice.content, today)
        if found is not None:
            params: dict[str, str | int] = {"serie": found[0], "number": found[1]}
            held[leader] = [Problem("product.billed_before_loss", "order_key", params=params)]
    return held


async def refuse_billed(hold: Hold, issuer: EmitterRecord) -> None:
    """Stop a batch of a restored ledger with invoices to be posted that look like invoices from after the copy.

    Its orders may have been taken back and invoiced in another batch since. Raises `Disturbance`, until a person has
    decided.
    """
    ledger = hold.runtime.ledger
    lost = await ledger.reading(undecided_charges, hold.batch.id)
    if not lost:
        return
    today = await _today(hold.runtime)
    waiting = await ledger.reading(ledger_invoices.invoices_of, hold.batch.id, states={InvoiceState.RESERVED})
    found = (_found_for(lost, issuer.cnpj, each.competence, json.loads(each.content), today) for each in waiting)
    stop_for(hold, (place for place in found if place is not None))


def _found_for(
    lost: Mapping[str, tuple[str, int]], cnpj: str, competence: date, content: Mapping[str, Any], today: date
) -> tuple[str, int] | None:
    sale = sale_of(content)
    assert sale is not None
    keys = (sale_key(cnpj, month, sale) for month in _months(competence, today))
    return next((lost[key] for key in keys if key in lost), None)


async def _today(runtime: Runtime) -> date:
    """By the ledger's clock, as all that is judged by a day."""
    return (await runtime.ledger.reading(ledger_now)).astimezone(BRASILIA).date()


def _months(competence: date, today: date) -> Iterator[date]:
    while competence <= today:
        yield competence
        competence = add_months(competence, 1)
