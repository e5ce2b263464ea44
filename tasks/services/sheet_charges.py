"""Compare the rows of a sheet that we wrote from contracts with what the contracts charge when the rows are assembled.

A run may stop between the sheet and its invoices, and a person may change a contract meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import billed_periods
from connectors.ledger.contracts import folded_key
from connectors.ledger.rows import RowRecord
from domain.contracts.billed_periods import BilledPeriod, Version, neighbouring_months
from domain.contracts.charges import Indexes, equal_charge
from domain.problems import Problem
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime


class _Terms(NamedTuple):
    """The amount, the company and the customer of a row: nothing but the exact facts."""

    cents: int | None
    emitter_cnpj: str | None
    document: str | None


@dataclass(frozen=True, slots=True)
class SheetCharges:
    """The newest version of a contract that a sheet was computed from, and the price indexes of today."""

    last_contract: int
    indexes: Indexes

    async def outdated(self, runtime: Runtime, records: Sequence[RowRecord]) -> dict[int, Sequence[Problem]]:
        """Return the problem of each row that its contract does not charge any more, by row id.

        The month's run gathers the contract's present charge, if any, into another sheet.
        """
        charges = {record.id: charge for record in records if (charge := _charge_of(record)) is not None}
        versions = await runtime.ledger.read_async(
            ledger_contracts.versions_by_key, {key for key, _ in charges.values()}
        )
        months: dict[str, set[date]] = {}
        for key, month in charges.values():
            if key in versions:
                longest = max(each.contract.cadence_months for each in versions[key])
                months.setdefault(key, set()).update(neighbouring_months(longest, month))
        billed = await runtime.ledger.read_async(billed_periods, {key: near for key, near in months.items() if near})
        return {
            record.id: [place_problem(record, Problem("row.contract_changed"))]
            for record in records
            for key, month in ([charges[record.id]] if record.id in charges else [])
            if key in versions and self._terms(runtime, versions[key], month, billed.get(key, ())) != _terms_of(record)
        }

    def _terms(
        self, runtime: Runtime, versions: Sequence[Version], month: date, billed: Sequence[BilledPeriod]
    ) -> _Terms | None:
        """Return what a row must bill now; None if the contract changed or another invoice covers some of its days."""
        now = versions[-1].contract
        then = next((each.contract for each in reversed(versions) if each.id <= self.last_contract), now)
        charge = equal_charge(then, now, month, indexes=self.indexes, is_holiday=runtime.is_holiday)
        if charge is None or any(period.covers_charge(now, month) for period in billed):
            return None
        return _Terms(charge.cents, now.emitter_cnpj, now.customer.number)


async def sheet_charges(runtime: Runtime, file_id: int) -> SheetCharges | None:
    """Return the charges of a sheet of contracts; None for any other file, such as a sheet of payments."""
    last_contract = await runtime.ledger.read_async(ledger_contracts.last_version_of_sheet, file_id)
    if last_contract is None:
        return None
    return SheetCharges(last_contract, await runtime.ledger.read_async(ledger_contracts.index_changes))


def _charge_of(record: RowRecord) -> tuple[str, date] | None:
    """Return the folded key of the row's contract and the month of its charge."""
    line = record.line or {}
    contract, month = line.get("contract"), line.get("charge_month") or line.get("competence")
    return (folded_key(contract), date.fromisoformat(month)) if contract and month else None


def _terms_of(record: RowRecord) -> _Terms:
    line = record.line or {}
    _, number = line.get("taker", {}).get("document") or ("", None)
    return _Terms(line.get("service_cents"), line.get("emitter_cnpj"), number)
