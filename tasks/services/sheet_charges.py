"""Compare the rows of a sheet that we wrote from contracts with what the contracts charge when the rows are assembled.

A run may stop between the sheet and its invoices, and a person may change a contract meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import billed_periods, contract_pasts
from connectors.ledger.contracts import folded_key
from connectors.ledger.rows import RowRecord
from domain.contracts.billed_periods import BilledPeriod, Version, covered_problem
from domain.contracts.charges import Indexes, equal_charge
from domain.contracts.histories import Billed, Pasts
from domain.contracts.services import earlier_at_once, overlap_problem
from domain.problems import Problem
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime


class _Terms(NamedTuple):
    """The amount, the company and the customer of a row: nothing but the exact facts."""

    cents: int | None
    emitter_cnpj: str | None
    document: str | None


class _Known(NamedTuple):
    """The versions of the rows' contracts and of others of the same customers, and billed periods, by folded key."""

    versions: Mapping[str, Sequence[Version]]
    billed: Billed


@dataclass(frozen=True, slots=True)
class SheetCharges:
    """The newest version of a contract that a sheet was computed from, and the price indexes of today."""

    last_contract: int
    indexes: Indexes
    pasts: Pasts

    async def outdated(self, runtime: Runtime, records: Sequence[RowRecord]) -> dict[int, Sequence[Problem]]:
        """Return the problem of each row that its contract does not charge any more, by row id.

        The month's run gathers the contract's present charge, if any, into another sheet.
        """
        charges = {record.id: charge for record in records if (charge := _charge_of(record)) is not None}
        keys = {key for key, _ in charges.values()}
        versions = await runtime.ledger.read_async(ledger_contracts.versions_by_key, keys)
        others = {other for key in keys & versions.keys() for other in self.pasts.others_of(versions[key][-1].contract)}
        versions |= await runtime.ledger.read_async(ledger_contracts.versions_by_key, others - versions.keys())
        months = self.pasts.months_of(
            (versions[key][-1].contract, month) for key, month in charges.values() if key in versions
        )
        known = _Known(versions, await runtime.ledger.read_async(billed_periods, months) if months else {})
        problems = (
            (record, self._problem(runtime, record, charges[record.id], known))
            for record in records
            if record.id in charges and charges[record.id][0] in versions
        )
        return {record.id: [place_problem(record, problem)] for record, problem in problems if problem is not None}

    def _problem(self, runtime: Runtime, record: RowRecord, charge: tuple[str, date], known: _Known) -> Problem | None:
        """Return why a row must not be billed as it is: another invoice or contract has its days, or it is outdated."""
        key, month = charge
        versions = known.versions[key]
        now = versions[-1].contract
        then = next((each.contract for each in reversed(versions) if each.id <= self.last_contract), now)
        equal = equal_charge(then, now, month, indexes=self.indexes, is_holiday=runtime.is_holiday)
        outdated = Problem("row.contract_changed")
        if equal is None or _Terms(equal.cents, now.emitter_cnpj, now.customer.number) != _terms_of(record):
            return outdated
        if (period := self.pasts.covering(now, month, known.billed)) is not None:
            return outdated if folded_key(period.key) == key else covered_problem(now, period)
        others = [known.versions[each][-1].contract for each in self.pasts.others_of(now) if each in known.versions]
        earlier = earlier_at_once(now, month, others, self.pasts.families)
        return None if earlier is None else overlap_problem(earlier.key)


async def sheet_charges(runtime: Runtime, file_id: int) -> SheetCharges | None:
    """Return the charges of a sheet of contracts; None for any other file, such as a sheet of payments."""
    last_contract = await runtime.ledger.read_async(ledger_contracts.last_version_of_sheet, file_id)
    if last_contract is None:
        return None
    return SheetCharges(
        last_contract,
        await runtime.ledger.read_async(ledger_contracts.index_changes),
        await runtime.ledger.read_async(contract_pasts),
    )


async def billed_by_others(runtime: Runtime, records: Sequence[RowRecord]) -> dict[int, Sequence[Problem]]:
    """Return the problem of each corrected row of a contract's charge whose days another contract's invoice covers.

    A person may have ended the contract since, and entered it again under another key.
    """
    charges = {
        record.id: charge
        for record in records
        if record.follows_id is not None and _has_key_of_charge(record) and (charge := _charge_of(record)) is not None
    }
    if not charges:
        return {}
    read, pasts = runtime.ledger.read_async, await runtime.ledger.read_async(contract_pasts)
    versions = await read(ledger_contracts.versions_by_key, {key for key, _ in charges.values()})
    known = {row_id: (versions[key], month) for row_id, (key, month) in charges.items() if key in versions}
    months = pasts.months_of((found[-1].contract, month) for found, month in known.values())
    billed = await read(billed_periods, months) if months else {}
    return {
        record.id: [place_problem(record, covered_problem(contract, period))]
        for record in records
        for found, month in ([known[record.id]] if record.id in known else [])
        for contract, own in [(found[-1].contract, BilledPeriod.of(found, month, None))]
        if (period := pasts.covering_other(contract, own.first_on, own.last_on, billed)) is not None
    }


def _has_key_of_charge(record: RowRecord) -> bool:
    """Return whether the row's key is that of its contract's charge: the contract may be a remark alone."""
    line = record.line or {}
    return bool(line.get("charge_month")) or folded_key(line.get("own_key") or "") == folded_key(
        line.get("contract") or ""
    )


def _charge_of(record: RowRecord) -> tuple[str, date] | None:
    """Return the folded key of the row's contract and the month of its charge."""
    line = record.line or {}
    contract, month = line.get("contract"), line.get("charge_month") or line.get("competence")
    return (folded_key(contract), date.fromisoformat(month)) if contract and month else None


def _terms_of(record: RowRecord) -> _Terms:
    line = record.line or {}
    _, number = line.get("taker", {}).get("document") or ("", None)
    return _Terms(line.get("service_cents"), line.get("emitter_cnpj"), number)
