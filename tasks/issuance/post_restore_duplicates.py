"""Find rows that were billed after a restored ledger's copy; only their invoices are known."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup.quarantine import BILLED, lost_charges, undecided_charges
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import ReadingRecord
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA, add_months
from domain.keys import charge_key
from domain.problems import Problem
from domain.products.keys import sale_key, sale_of
from domain.states import InvoiceState
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.runtime import Runtime

_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Facts that an invoice at the issuer shares with a row, when nothing else of the row is known."""

    issuer: str
    cnpj: str
    competence: date
    document: str
    cents: int


async def lost_before(
    runtime: Runtime, reading: ReadingRecord, charges: Mapping[int, Charge]
) -> dict[int, tuple[str, int]]:
    """Return serie and number of the invoice that may bill a row already, by row id.

    Nothing else can be compared, so a row that merely resembles such an invoice is held back, until a person allows
    repeats.
    """
    lost = await runtime.ledger.reading(lost_charges)
    if not lost or reading.options.get("allow_repeats"):
        return {}
    today = await today_of(runtime)
    found = {row_id: _find(runtime, lost, charge, today) for row_id, charge in charges.items()}
    return {row_id: place for row_id, place in found.items() if place is not None}


async def refuse_billed(leased: LeasedBatch) -> None:
    """Stop a batch of a restored ledger whose reserved invoices resemble invoices from after the copy.

    The copy knew its rows as not issued; since then the line may have taken them back and billed them in another batch.
    Raises `Disturbance`, until a person has decided.
    """
    runtime, ledger = leased.runtime, leased.runtime.ledger
    lost = await ledger.reading(undecided_charges, leased.batch.id)
    if not lost:
        return
    today = await today_of(runtime)
    cnpj = (await ledger.reading(ledger_parties.emitter_of, leased.batch.emitter_id)).cnpj
    waiting = await ledger.reading(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.RESERVED})
    found = {_find(runtime, lost, _charge_of(note, cnpj), today) for note in waiting}
    places = sorted(place for place in found if place is not None)
    if places:
        more = " …" if len(places) > _SHOWN else ""
        shown = ", ".join(f"{serie}-{number}" for serie, number in places[:_SHOWN]) + more
        params: dict[str, str | int] = {"batch": leased.batch.id, "count": len(places), "numbers": shown}
        raise Disturbance(Problem(BILLED, params=params))


async def today_of(runtime: Runtime) -> date:
    """Return the day by the ledger's clock, which decides everything that depends on a day."""
    return (await runtime.ledger.reading(ledger_now)).astimezone(BRASILIA).date()


def _charge_of(note: InvoiceRecord, cnpj: str) -> Charge:
    """Return the charge of a drafted invoice; take it from the content where no customer is registered."""
    document, cents = note.taker_document, note.service_cents
    if document is None:
        sale = sale_of(json.loads(note.content))
        assert sale is not None
        document, cents = sale
    return Charge(issuer=note.issuer, cnpj=cnpj, competence=note.competence, document=document, cents=cents)


def _find(runtime: Runtime, lost: Mapping[str, tuple[str, int]], charge: Charge, today: date) -> tuple[str, int] | None:
    return next((lost[key] for key in _keys(runtime, charge, today) if key in lost), None)


def _keys(runtime: Runtime, charge: Charge, today: date) -> Iterator[str]:
    """Yield the possible keys of such an invoice.

    Where a post issues, the key has the month of issue: the charge's month or a later one.
    """
    if runtime.capabilities(charge.issuer).is_staged:
        yield charge_key(
            emitter_cnpj=charge.cnpj,
            competence=charge.competence,
            taker_document=charge.document,
            service_cents=charge.cents,
        )
        return
    month = charge.competence
    while month <= today:
        yield sale_key(charge.cnpj, month, (charge.document, charge.cents))
        month = add_months(month, 1)
