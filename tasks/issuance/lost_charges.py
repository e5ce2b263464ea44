"""Find rows that were billed after the backup of a restored ledger, by the invoices that the issuer shows."""

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
class ChargeFacts:
    """What identifies a row's charge if only an invoice at the issuer is left to compare with.

    `cents` are its amount. `is_ours`: the row is from a sheet that we generated from contracts or payments of the
    backup. After the backup its amount may have changed, or a later month may have billed it.
    """

    issuer: str
    cnpj: str
    competence: date
    document: str
    cents: int
    is_ours: bool = False


async def post_backup_duplicates(
    runtime: Runtime, reading: ReadingRecord, charges: Mapping[int, ChargeFacts]
) -> dict[int, tuple[str, int]]:
    """Return, by row id, serie and number of an invoice from after the backup that may bill the row already.

    The few `ChargeFacts` prove nothing, so such a row is held until a person allows repeats. Return nothing if repeats
    are allowed.
    """
    lost = await runtime.ledger.read_async(lost_charges)
    if not lost or reading.options.get("allow_repeats"):
        return {}
    today = await today_of(runtime)
    found = {row_id: issued_place(runtime, lost, charge, today) for row_id, charge in charges.items()}
    return {row_id: place for row_id, place in found.items() if place is not None}


async def today_of(runtime: Runtime) -> date:
    """Return the day in Brasília by the ledger's clock."""
    return (await runtime.ledger.read_async(ledger_now)).astimezone(BRASILIA).date()


def issued_place(
    runtime: Runtime, lost: Mapping[str, tuple[str, int]], charge: ChargeFacts, today: date
) -> tuple[str, int] | None:
    """Return serie and number of an invoice in `lost` (see `lost_charges`) that may bill this charge, or None."""
    return next((lost[key] for key in _keys(runtime, charge, today) if key in lost), None)


def _keys(runtime: Runtime, charge: ChargeFacts, today: date) -> Iterator[str]:
    """Yield the keys that an invoice for this charge may have.

    If a post issues at once, a key has the month of issue: the charge's month or a later one. If not, only a charge
    with `is_ours` may be billed in a later month, and then with any amount.
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
