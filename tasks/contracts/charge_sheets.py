"""Write the due charges of contracts into sheets, which the stations bill like any dropped file."""

from collections.abc import Iterator, Sequence
from datetime import date

from configs.layouts import headers_of
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import folded_key
from connectors.spreadsheets.writers.charges import charges_sheet
from domain.competence import first_of_month
from domain.contracts.charges import ContractCharge, equal_charge
from domain.contracts.contract import Contract
from tasks.contracts.month import charges_of_month, missed_charges
from tasks.runtime import SERVICES, Context
from tasks.stations.gather import archive_sheet, months_to_gather, sheets_to_read, unfinished_sheet


def gather_due(
    context: Context, *, competence: date | None, is_catching_up: bool, is_by_clock: bool = False
) -> list[int]:
    """Write the due charges into sheets. Return the ledger ids of the sheets, oldest month first.

    If a sheet was not read to its end, it comes first, and a second one has the charges that changed since: the
    station `assemble` leaves out outdated rows of the first.

    Args:
        context: The open profile; it needs no provider.
        competence: First day of the only month to bill. None: the present month, and charges of the month before that a
            holiday moved into the present month.
        is_catching_up: Also bill missed charges of past months; those of closed months in the present month. Late ones
            (`MonthCharge`) are billed only with `competence`.
        is_by_clock: A schedule started this run (see `sheets_to_read`).

    Raises:
        FaturistaError: The month has not begun (`competence.future`), or it is closed (`closing.closed`).
    """
    missed = {month for month, each in missed_charges(context) if not each.is_late} if is_catching_up else set()
    found: list[int | None] = []
    for month, only_late in months_to_gather(context, competence, missed, is_catching_up=is_catching_up):
        # Read before the contracts: rows of a version that is written meanwhile are outdated, and are gathered again.
        last_contract = context.ledger.read(ledger_contracts.last_version)
        unfinished = unfinished_sheet(context, month, "contracts")
        due = list(_due_charges(context, month, only_late=only_late, has_late=competence is not None))
        if is_catching_up and month == first_of_month(context.today):
            due = [*_missed_charges(context), *due]
        if unfinished is not None:
            found.append(unfinished)
            due = _changed_since(context, unfinished, due)
        if due:
            content = charges_sheet(due, headers_of(SERVICES), competence=month)
            file_id = archive_sheet(
                context, content, source="contracts", competence=month, count=len(due), last_contract=last_contract
            )
            found.append(file_id)
    return sheets_to_read(context, list(dict.fromkeys(found)), is_by_clock=is_by_clock)


def _changed_since(
    context: Context, file_id: int, due: Sequence[tuple[Contract, ContractCharge]]
) -> list[tuple[Contract, ContractCharge]]:
    """Keep the charges of contracts that the sheet was computed from, and that charge something else by now."""
    last = context.ledger.read(ledger_contracts.last_version_of_sheet, file_id) or 0
    versions = context.ledger.read(ledger_contracts.versions_by_key, [folded_key(each.key) for each, _ in due])
    indexes = context.ledger.read(ledger_contracts.index_changes)
    kept = []
    for contract, charge in due:
        then = [each.contract for each in versions[folded_key(contract.key)] if each.id <= last][-1:]
        equal = (
            equal_charge(old, contract, charge.competence, indexes=indexes, is_holiday=context.is_holiday)
            for old in then
        )
        if not all(equal):
            kept.append((contract, charge))
    return kept


def _due_charges(
    context: Context, month: date, *, only_late: bool, has_late: bool
) -> Iterator[tuple[Contract, ContractCharge]]:
    current = first_of_month(context.today)
    for each in charges_of_month(context, month):
        is_wanted = not only_late and (has_late or not each.is_late)
        if each.status == "due" and each.charge is not None and (is_wanted or each.charge.due_on >= current):
            yield each.contract, each.charge


def _missed_charges(context: Context) -> Iterator[tuple[Contract, ContractCharge]]:
    """Yield the missed charges of closed months: the present month bills them."""
    closed = context.ledger.read(closed_months)
    for month, each in missed_charges(context):
        if month in closed and each.charge is not None and not each.is_late:
            yield each.contract, each.charge
