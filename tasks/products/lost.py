"""Sales that were invoiced after the copy from which the ledger was restored: all that is known is the invoice."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.backup.audits import holds_any, series_of
from connectors.ledger.backup.quarantine import CHARGE, lost_charges, undecided_charges
from connectors.ledger.files import ReadingRecord
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
from tasks.products.history import LEAST_PAGE, History
from tasks.protocol.hold import Hold
from tasks.protocol.lost import stop_for
from tasks.runtime import Runtime

HIDDEN: Final = "restore.sales_hidden"
"""Some of the invoices that were found tell not what they sold."""
UNSEEN: Final = "restore.sales_unseen"
"""Not all invoices from after the copy could be looked at."""
_LISTED: Final = 100
_MARGIN: Final = timedelta(days=1)
"""The provider's clock is not the ledger's."""
_DEAD: Final = frozenset({InvoiceState.REJECTED, InvoiceState.CANCELLED})


async def lost_invoices(runtime: Runtime, issuer: EmitterRecord, taken_at: datetime) -> list[Problem]:
    """The issuer's invoices beyond the numbers that a ledger restored from a copy of `taken_at` knows.

    Needs the extensions. `UNSEEN` and `HIDDEN` tell where orders would not be known again should they come back.
    """
    channel = InvoiceChannel(runtime, issuer, "nfe" if issuer.kind == "nfe" else "nfce")
    newest = await channel.calls.latest(issuer.remote_id, limit=_LISTED)
    following = {runtime.settings.products.serie_of(issuer.kind): 1}
    following |= {each.serie: each.next_number for each in await runtime.ledger.reading(series_of, issuer.id)}
    there, is_whole = await _since(channel, newest, taken_at)
    placed = ((place, each) for each in there.values() if (place := channel.place_of(each)))
    lost = [(place, each) for place, each in placed if place[1] >= following.get(place[0], place[1] + 1)]
    found = [await _finding(channel, place, each) for place, each in sorted(lost, key=_by_place)]
    mute = Counter(str(each.params["serie"]) for each in found if _is_mute(each))
    found += [
        Problem(HIDDEN, params={"cnpj": issuer.cnpj, "serie": serie, "count": count})
        for serie, count in sorted(mute.items())
    ]
    return found if is_whole else [unseen(issuer, taken_at), *found]


def unseen(issuer: EmitterRecord, taken_at: datetime) -> Problem:
    """`UNSEEN` of this issuer's invoices of one kind."""
    taken = taken_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    kind = "NF-e" if issuer.kind == "nfe" else "NFC-e"
    return Problem(UNSEEN, params={"cnpj": issuer.cnpj, "kind": kind, "taken": taken})


async def _since(
    channel: InvoiceChannel, newest: Sequence[Invoice], taken_at: datetime
) -> tuple[dict[int, Invoice], bool]:
    """What was issued after the copy, and perhaps more, by id; and whether that is all of it for certain."""
    runtime, issuer = channel.runtime, channel.issuer
    shown = {each.id: each for each in newest}
    if len(shown) < LEAST_PAGE:
        return shown, True
    history = History(partial(channel.calls.within, issuer.remote_id), shown=len(shown))
    found = await history.between(taken_at - _MARGIN, runtime.clock() + _MARGIN)
    ids = list(shown)
    is_whole = history.is_whole and all(each.id in found for each in newest if _is_from(each, taken_at))
    # a list from the newest on, down to one that the copy knows, shows all that came after the copy
    if not is_whole and ids == sorted(ids, reverse=True):
        is_whole = await runtime.ledger.reading(holds_any, issuer.kind, ids)
    return {**found, **shown}, is_whole


def _is_from(invoice: Invoice, taken_at: datetime) -> bool:
    return invoice.issued_at is not None and invoice.issued_at > taken_at


def _by_place(lost: tuple[tuple[str, int], Invoice]) -> tuple[str, int, int]:
    return (*lost[0], lost[1].id)


def _is_mute(finding: Problem) -> bool:
    """Whether the invoice may live and no order would be held back for it."""
    return CHARGE not in finding.params and _lives(str(finding.params["status"]))


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
