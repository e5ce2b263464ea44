"""Compute what contracts charge in a month: billed, due today, due later, or not to be billed and why."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final, Literal

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import BilledCharge, billed_charges, billed_services, contract_pasts
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import CancelledCharge, ContractRecord, folded_key
from domain.competence import add_months, first_of_month, format_competence
from domain.contracts.billed_periods import BilledPeriod, covered_problem
from domain.contracts.charges import ContractCharge, charge_of, keys_of_charge
from domain.contracts.contract import Contract, Index
from domain.contracts.histories import Pasts
from domain.contracts.schedule import is_charged
from domain.contracts.services import earlier_at_once, overlap_problem, service_of
from domain.problems import Problem
from domain.texts import count_and_first
from tasks.contracts.differences import (
    invoice_differences,
    is_charge_unchanged,
    unbilled_amounts,
)
from tasks.contracts.periods import covering_periods
from tasks.runtime import Context
from tasks.stations.gather import missed_problems

ChargeStatus = Literal["billed", "cancelled", "covered", "due", "later", "unknown"]
"""State of a charge. `cancelled`: a person ended its invoice, and the contract charges the same as then.

`covered`: the invoice of another month, or of another contract for the same service, covers some of its days.
`unknown`: the charge cannot be computed, a contract for the same service runs at once, or a one-off amount has no
charge; its problems have the reasons.
"""
_SETTLED: Final = frozenset({"billed", "cancelled", "covered"})


@dataclass(frozen=True, slots=True)
class MonthCharge:
    """The charge of one contract in a month.

    `charge` is what the contract charges now, None if it charges nothing or its amount is unknown. `problems` have the
    reasons why it is unknown or covered, or the differences to its invoices (`billed`): the contract may have changed
    since. `is_late`: the contract entered the ledger after the month; the charge may have been billed elsewhere, so
    a run bills it only if a person names the month.
    """

    contract: Contract
    status: ChargeStatus
    charge: ContractCharge | None = None
    problems: Sequence[Problem] = ()
    billed: Sequence[BilledCharge] = ()
    is_late: bool = False

    @property
    def differs_from_invoice(self) -> bool:
        """Return whether the contract now charges nothing, or something else than its invoice."""
        return self.status == "billed" and bool(self.problems)

    @property
    def remarks(self) -> Sequence[Problem]:
        """Return the problems, or else how the amount was computed."""
        return self.problems or (() if self.charge is None else self.charge.remarks)

    @property
    def customer_name(self) -> str:
        """The name of the customer of its invoice, or else the contract's; a name alone may change."""
        others = (each for each in self.billed if each.document not in (None, self.contract.customer.number))
        return next((each.customer_name or "" for each in others), self.contract.customer_name)

    @property
    def cents(self) -> int | None:
        """The billed amount, or else the amount to bill; None if nothing is, or if it cannot be computed."""
        if self.status == "billed":
            return sum(each.cents for each in self.billed)
        return None if self.charge is None or self.status == "covered" else self.charge.cents


@dataclass(frozen=True, slots=True)
class _Known:
    """The data from which charges are computed, read once for several months."""

    contracts: Sequence[ContractRecord]
    pasts: Pasts
    indexes: Mapping[tuple[Index, date], Decimal]
    is_holiday: Callable[[date], bool]
    newest: Mapping[str, Contract]

    @property
    def first_month(self) -> date | None:
        """Return the month in which the ledger got its first contract, None without any."""
        return min((past.first_month for past in self.pasts.histories.values()), default=None)

    def earlier_at_once(self, contract: Contract, competence: date) -> Contract | None:
        """Return an earlier contract that bills the same service for the same days, or None."""
        others = [self.newest[key] for key in self.pasts.others_of(contract) if key in self.newest]
        return earlier_at_once(contract, competence, others, self.pasts.families)


@dataclass(frozen=True, slots=True)
class _ChargeInvoices:
    """The living and the cancelled invoices of a charge, and the billed period that covers some of its days."""

    billed: Sequence[BilledCharge]
    ended: Sequence[CancelledCharge]
    covering: BilledPeriod | None


def charges_of_month(context: Context, competence: date) -> list[MonthCharge]:
    """Return the charge of every contract in a month, by key.

    Leave out contracts that have neither a charge nor an invoice nor a one-off amount in it.
    """
    return _charges(context, _read_known(context), competence)


def changed_charges(context: Context, contracts: Sequence[Contract]) -> list[tuple[date, MonthCharge]]:
    """Return what these new versions of known contracts make of invoices of this month and of one-off amounts.

    Return only charges of this month that are billed otherwise, and one-off amounts of any month that nothing bills.
    """
    current, known = first_of_month(context.today), _read_known(context)
    records = {folded_key(each.contract.key): each for each in known.contracts}
    changed = [replace(records[folded_key(each.key)], contract=each) for each in contracts]
    months = {current, *(each.competence for one in contracts for each in one.adjustments)}
    return [
        (month, each)
        for month in sorted(months)
        for each in _charges(context, replace(known, contracts=changed), month)
        if (each.differs_from_invoice and month == current)
        or (each.status == "unknown" and not is_charged(each.contract, month))
    ]


def unbilled_of_month(context: Context, competence: date) -> list[MonthCharge]:
    """Return the unbilled charges of a month, if the ledger had a contract then.

    A charge whose invoice a person cancelled is not unbilled (`ChargeStatus`).
    """
    return _unbilled_charges(context, _read_known(context), competence)


def count_missed_charges(context: Context) -> dict[date, int]:
    """Return the number of unbilled past charges by month, without late ones."""
    return dict(Counter(month for month, each in missed_charges(context) if not each.is_late))


def missed_months(context: Context, *, only: date | None = None) -> list[Problem]:
    """Return a problem for each past month with unbilled charges, or for the month `only`.

    One more asks about the late charges of each open month: a closing settles those of its month.
    """
    charges = [(month, each) for month, each in missed_charges(context) if only in (None, month)]
    missed = [(month, each) for month, each in charges if not each.is_late]
    unknown = Counter(month for month, each in missed if each.status == "unknown")
    closed = context.ledger.read(closed_months)
    late: dict[date, list[str]] = {}
    for month, each in charges:
        if each.is_late and month not in closed:
            late.setdefault(month, []).append(each.contract.key)
    asked = (
        Problem("contract.entered_late", params={"month": format_competence(month), **count_and_first(keys)})
        for month, keys in late.items()
    )
    return [*missed_problems(context, "contracts", Counter(month for month, _ in missed), unknown), *asked]


def missed_charges(context: Context) -> list[tuple[date, MonthCharge]]:
    """Return the unbilled past charges, each with its month, oldest first.

    Months before the ledger's first contract do not count. A charge whose day a holiday moved into the current month is
    not missed.
    """
    current, known = first_of_month(context.today), _read_known(context)
    return [
        (month, each)
        for month in _months(known.first_month or current, current)
        for each in _unbilled_charges(context, known, month)
        if each.charge is None or each.charge.due_on < current
    ]


def _read_known(context: Context) -> _Known:
    contracts = context.ledger.read(ledger_contracts.contracts_all)
    return _Known(
        contracts,
        context.ledger.read(contract_pasts),
        context.ledger.read(ledger_contracts.index_changes),
        context.is_holiday,
        {folded_key(each.contract.key): each.contract for each in contracts},
    )


def _charges(context: Context, known: _Known, competence: date) -> list[MonthCharge]:
    contracts = [each.contract for each in known.contracts]
    keys = [
        keys_of_charge(each, competence, known.pasts.histories[folded_key(each.key)].emitters) for each in contracts
    ]
    billed = context.ledger.read(billed_charges, set().union(*keys))
    open_ones = [
        (contract, own)
        for contract, own in zip(contracts, keys, strict=True)
        if is_charged(contract, competence) and not own & billed.keys()
    ]
    ended = context.ledger.read(ledger_contracts.cancelled_charges, set().union(*(own for _, own in open_ones)))
    covering = covering_periods(context, known.pasts, [contract for contract, _ in open_ones], competence)
    found = (
        _month_charge(
            contract,
            competence,
            known,
            _ChargeInvoices(
                [billed[key] for key in own if key in billed],
                [ended[key] for key in own if key in ended],
                covering.get(folded_key(contract.key)),
            ),
            day=context.today,
        )
        for contract, own in zip(contracts, keys, strict=True)
    )
    first = {key: past.first_month for key, past in known.pasts.histories.items()}
    return [
        replace(each, is_late=competence < first[folded_key(each.contract.key)]) for each in found if each is not None
    ]


def _unbilled_charges(context: Context, known: _Known, competence: date) -> list[MonthCharge]:
    """Return the unbilled charges of a month.

    A late charge counts as billed if its customer has an invoice of the same service in the month: a person's own sheet
    billed it before the contract was entered.
    """
    if known.first_month is None or competence < known.first_month:
        return []
    found = [each for each in _charges(context, known, competence) if each.status not in _SETTLED]
    if not any(each.is_late for each in found):
        return found
    billed = context.ledger.read(billed_services, competence)
    families = known.pasts.families
    return [each for each in found if not (each.is_late and service_of(each.contract, families) in billed)]


def _month_charge(
    contract: Contract, competence: date, known: _Known, invoices: _ChargeInvoices, *, day: date
) -> MonthCharge | None:
    found = charge_of(contract, competence, indexes=known.indexes, is_holiday=known.is_holiday)
    charge = found if isinstance(found, ContractCharge) else None
    if invoices.billed:
        differences = invoice_differences(contract, charge, invoices.billed, is_charged=found is not None)
        return MonthCharge(contract, "billed", charge, differences, invoices.billed)
    if found is None:
        lost = unbilled_amounts([each for each in contract.adjustments if each.competence == competence])
        return MonthCharge(contract, "unknown", problems=lost) if lost else None
    if invoices.covering is not None:
        remark = covered_problem(contract, invoices.covering)
        return MonthCharge(contract, "covered", charge, [remark, *(() if charge is None else charge.remarks)])
    if (other := known.earlier_at_once(contract, competence)) is not None:
        return MonthCharge(contract, "unknown", problems=[overlap_problem(other.key)])
    if charge is None:
        return MonthCharge(contract, "unknown", problems=found if isinstance(found, list) else ())
    if any(is_charge_unchanged(contract, charge, each) for each in invoices.ended):
        return MonthCharge(contract, "cancelled", charge)
    return MonthCharge(contract, "due" if charge.due_on <= day else "later", charge)


def _months(first: date, end: date) -> Iterator[date]:
    """Yield the months from `first` on that are before `end`."""
    while first < end:
        yield first
        first = add_months(first, 1)
