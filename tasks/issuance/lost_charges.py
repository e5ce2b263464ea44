"""Find rows that were billed after a restored ledger's copy; only their invoices are known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial

from connectors.ledger.backup.restorations import lost_charges
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import ReadingRecord
from domain.competence import BRASILIA, add_months
from domain.keys import charge_key, sale_key
from tasks.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Facts that an invoice at the issuer shares with a row, when nothing else of the row is known.

    `is_ours`: the row is of a sheet that we wrote from contracts or payments as the copy knew them. Since then the
    amount may have changed, and the charge of a closed month may have been billed in a later one.
    """

    issuer: str
    cnpj: str
    competence: date
    document: str
    cents: int
    is_ours: bool = False


async def lost_before(
    runtime: Runtime, reading: ReadingRecord, charges: Mapping[int, Charge]
) -> dict[int, tuple[str, int]]:
    """Return serie and number of the invoice that may bill a row already, by row id.

    Nothing else can be compared, so a row that merely resembles such an invoice is held back, until a person allows
    repeats.
    """
    lost = await runtime.ledger.read_async(lost_charges)
    if not lost or reading.options.get("allow_repeats"):
        return {}
    today = await today_of(runtime)
    found = {row_id: issued_place(runtime, lost, charge, today) for row_id, charge in charges.items()}
    return {row_id: place for row_id, place in found.items() if place is not None}


async def today_of(runtime: Runtime) -> date:
    """Return the day by the ledger's clock, which decides everything that depends on a day."""
    return (await runtime.ledger.read_async(ledger_now)).astimezone(BRASILIA).date()


def issued_place(
    runtime: Runtime, lost: Mapping[str, tuple[str, int]], charge: Charge, today: date
) -> tuple[str, int] | None:
    """Return serie and number of the lost invoice that may bill this charge, or None."""
    return next((lost[key] for key in _keys(runtime, charge, today) if key in lost), None)


def _keys(runtime: Runtime, charge: Charge, today: date) -> Iterator[str]:
    """Yield the possible keys of such an invoice.

    Where a post issues, the key has the month of issue: the charge's month or a later one.
    """
    is_staged = runtime.capabilities(charge.issuer).is_staged
    key_of = partial(charge_key, emitter_cnpj=charge.cnpj, taker_document=charge.document)
    if is_staged:
        yield key_of(competence=charge.competence, service_cents=charge.cents)
    month = charge.competence
    while month <= today and (charge.is_ours or not is_staged):
        if is_staged:
            yield key_of(competence=month, service_cents=None)
        else:
            yield sale_key(charge.cnpj, month, (charge.document, charge.cents))
        month = add_months(month, 1)
