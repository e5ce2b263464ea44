"""Find invoices issued after the backup from which the ledger was restored, at issuers without batches."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from connectors.ledger.backup.audits import holds_any, series_of
from connectors.ledger.backup.restorations import CHARGE
from connectors.ledger.parties import EmitterRecord
from domain.competence import BRASILIA, first_of_month
from domain.issuing import RemoteInvoice
from domain.keys import sale_key
from domain.money import format_brl
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.backup.issued_history import LEAST_PAGE, PeriodSearch
from tasks.issuance.answers import place_of
from tasks.issuance.lost_charges import today_of
from tasks.runtime import Runtime

HIDDEN: Final = "restore.sales_hidden"
"""Problem code: some of the found invoices do not show customer or amount."""
UNSEEN: Final = "restore.sales_unseen"
"""Problem code: the issuer may have more invoices from after the backup than it listed."""
_SHOWN: Final = {"service": "NFS-e", "nfe": "NF-e", "nfce": "NFC-e"}
_MARGIN: Final = timedelta(days=1)
"""Allowance for the difference between the provider's clock and the ledger's."""
_DEAD: Final = frozenset({InvoiceState.REJECTED, InvoiceState.CANCELLED})


async def find_unrecorded_invoices(runtime: Runtime, emitter: EmitterRecord, taken_at: datetime) -> list[Problem]:
    """Return a problem for each invoice at the issuer whose number the restored ledger has not given yet.

    `taken_at` is the aware instant of the backup. Add `UNSEEN` if the list may be incomplete, and `HIDDEN` if an
    invoice lacks customer or amount: a second order for the same sale would then not be recognised.
    """
    issued_by = runtime.issuer(emitter.issuer)
    assert issued_by.history is not None
    newest = await issued_by.history.newest(emitter.ref)
    following = {runtime.serie_of(emitter.issuer, emitter.cnpj): 1}
    following |= {each.serie: each.next_number for each in await runtime.ledger.read_async(series_of, emitter.id)}
    there, is_complete = await _issued_since(runtime, emitter, newest, taken_at)
    placed = ((place, each) for each in there.values() if (place := place_of(issued_by, emitter.ref, each)))
    lost = [(place, each) for place, each in placed if place[1] >= following.get(place[0], place[1] + 1)]
    found = []
    mute: Counter[str] = Counter()
    for place, each in sorted(lost, key=_by_place):
        finding = await _finding(runtime, emitter, place, each)
        found.append(finding)
        # Such an invoice may be valid, but has no key by which its order could be held.
        mute[place[0]] += CHARGE not in finding.params and each.state not in _DEAD
    found += [
        Problem(HIDDEN, params={"cnpj": emitter.cnpj, "serie": serie, "count": count})
        for serie, count in sorted(mute.items())
        if count
    ]
    return found if is_complete else [unlisted_problem(emitter, taken_at), *found]


def unlisted_problem(emitter: EmitterRecord, taken_at: datetime) -> Problem:
    """Return the `UNSEEN` problem of this emitter and document kind."""
    taken = taken_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    return Problem(UNSEEN, params={"cnpj": emitter.cnpj, "kind": _SHOWN[emitter.kind], "taken": taken})


async def _issued_since(
    runtime: Runtime, emitter: EmitterRecord, newest: Sequence[RemoteInvoice], taken_at: datetime
) -> tuple[dict[int, RemoteInvoice], bool]:
    """Return invoices issued after the backup (perhaps also others) by id, and whether none is missing."""
    shown = {each.id: each for each in newest}
    if len(shown) < LEAST_PAGE:
        return shown, True
    history = runtime.issuer(emitter.issuer).history
    assert history is not None
    walk = PeriodSearch(partial(history.issued_between, emitter.ref), shown=len(shown))
    found = await walk.search(taken_at - _MARGIN, runtime.clock() + _MARGIN)
    ids = list(shown)
    is_complete = walk.is_complete and all(each.id in found for each in newest if _is_from(each, taken_at))
    # A newest-first list that reaches an invoice of the backup shows all later ones.
    if not is_complete and ids == sorted(ids, reverse=True):
        is_complete = await runtime.ledger.read_async(holds_any, emitter.issuer, ids)
    return {**found, **shown}, is_complete


def _is_from(invoice: RemoteInvoice, taken_at: datetime) -> bool:
    return invoice.issued_at is not None and invoice.issued_at > taken_at


def _by_place(lost: tuple[tuple[str, int], RemoteInvoice]) -> tuple[str, int, int]:
    return (*lost[0], lost[1].id)


async def _finding(runtime: Runtime, emitter: EmitterRecord, place: tuple[str, int], there: RemoteInvoice) -> Problem:
    """Return the problem of an unknown invoice; for a living one, with the key (`CHARGE`) that recognises its order."""
    # A list may show less than the invoice itself.
    whole = there
    if there.customer_document is None or there.total_cents is None:
        whole = await runtime.issuer(emitter.issuer).read(emitter.ref, there.id)
    issued = there.issued_at.astimezone(BRASILIA).date() if there.issued_at else None
    params: dict[str, str | int] = {
        "emitter": emitter.id,
        "cnpj": emitter.cnpj,
        "serie": place[0],
        "number": place[1],
        "invoice": there.id,
        "status": there.status[:40],
        "issued": f"{issued:%d/%m/%Y}" if issued else "?",
        "amount": "?" if whole.total_cents is None else format_brl(whole.total_cents),
    }
    # Treat an unknown status as living.
    if whole.customer_document is not None and whole.total_cents is not None and there.state not in _DEAD:
        month = there.competence or first_of_month(issued or await today_of(runtime))
        params[CHARGE] = sale_key(emitter.cnpj, month, (whole.customer_document, whole.total_cents))
    return Problem("restore.invoice_unknown", params=params)
