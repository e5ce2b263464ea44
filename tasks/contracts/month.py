"""Compute what contracts charge in a month: already billed, due today, due later, or not computable and why."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final, Literal

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.contracts import CancelledCharge, ContractPast, ContractRecord, folded_key
from domain.competence import add_months, first_of_month
from domain.contracts.charges import Charge, charge_of
from domain.contracts.contract import Contract, Index
from domain.contracts.schedule import is_charged
from domain.keys import business_key
from domain.money import format_brl
from domain.problems import Problem
from domain.texts import folded_charge
from tasks.runtime import Context
from tasks.stations.gather import missed_problems

ChargeStatus = Literal["billed", "cancelled", "due", "later", "unknown"]
"""State of a charge. `due`, `later`: without an invoice; its day has come, or not yet.

`cancelled`: a person cancelled its invoice, and the contract still charges the same. `unknown`: the charge cannot be
computed; its problems have the reasons.
"""
_SETTLED: Final = frozenset({"billed", "cancelled"})


@dataclass(frozen=True, slots=True)
class MonthCharge:
    """The charge of one contract in a month. `charge` is None if it cannot be computed now.

    `problems` are the reasons, for a charge without an invoice. `billed_cents` is the amount of its invoice: the
    contract may have changed since.
    """

    contract: Contract
    status: ChargeStatus
    charge: Charge | None = None
    problems: Sequence[Problem] = ()
    billed_cents: int | None = None

    @property
    def is_billed_otherwise(self) -> bool:
        """Return whether the contract now charges an amount that differs from its invoice."""
        return self.status == "billed" and self.charge is not None and self.charge.cents != self.billed_cents

    @property
    def remarks(self) -> Sequence[Problem]:
        """Return how the amount was computed, the contract's present amount if another was billed, or the problems."""
        if self.charge is None:
            return self.problems
        if self.is_billed_otherwise:
            return [Problem("contract.billed_otherwise", params={"amount": format_brl(self.charge.cents)})]
        return self.charge.remarks

    @property
    def cents(self) -> int | None:
        """Return the billed cents, or else the cents to bill; None if they cannot be computed."""
        return self.billed_cents if self.charge is None or self.status == "billed" else self.charge.cents


@dataclass(frozen=True, slots=True)
class _Known:
    """The data from which charges are computed, read once for several months."""

    contracts: Sequence[ContractRecord]
    pasts: Mapping[str, ContractPast]
    indexes: Mapping[tuple[Index, date], Decimal]
    is_holiday: Callable[[date], bool]


def charges_of_month(context: Context, competence: date) -> list[MonthCharge]:
    """Return the charges of a month, sorted by contract key; leave out contracts that charge nothing in it."""
    return _charges(context, _read_known(context), competence)


def unbilled_of_month(context: Context, competence: date) -> list[MonthCharge]:
    """Return the unbilled charges of a month, of contracts that the ledger had in that month.

    A charge whose invoice a person cancelled is not unbilled (`ChargeStatus`).
    """
    return _unbilled_charges(context, _read_known(context), competence)


def count_missed(context: Context) -> dict[date, int]:
    """Return the number of past charges that nobody billed, by month."""
    return dict(Counter(month for month, _ in missed_charges(context)))


def missed_months(context: Context, *, only: date | None = None) -> list[Problem]:
    """Return a problem for each past month with charges that nobody billed, or for the month `only`."""
    charges = [(month, each) for month, each in missed_charges(context) if only in (None, month)]
    unknown = Counter(month for month, each in charges if each.status == "unknown")
    return missed_problems(context, "contracts", Counter(month for month, _ in charges), unknown)


def missed_charges(context: Context) -> list[tuple[date, MonthCharge]]:
    """Return the past charges that nobody billed, each with its month, oldest first.

    A contract counts from the month in which it entered the ledger: nobody has to bill earlier months. A charge whose
    day a holiday moved into the current month is not missed.
    """
    current, known = first_of_month(context.today), _read_known(context)
    first = min((past.first_month for past in known.pasts.values()), default=current)
    return [
        (month, each)
        for month in _months(first, current)
        for each in _unbilled_charges(context, known, month)
        if each.charge is None or each.charge.due_on < current
    ]


def keys_of_charge(contract: Contract, competence: date, emitters: Collection[str]) -> set[str]:
    """Return the business keys that an invoice for this charge may have, one for each emitter.

    A key has only the emitter, the contract's key and the month, so neither a changed amount nor a late invoice bills
    the month again. `emitters` are the CNPJ of all versions of the contract: a new emitter does not bill it again.
    """
    return {
        business_key(
            emitter_cnpj=emitter,
            competence=competence,
            own_key=contract.key,
            taker_document="",
            template="",
            service_cents=0,
            description="",
        )
        for emitter in emitters
    }


def _read_known(context: Context) -> _Known:
    return _Known(
        context.ledger.read(ledger_contracts.contracts_all),
        context.ledger.read(ledger_contracts.pasts_of),
        context.ledger.read(ledger_contracts.index_changes),
        context.is_holiday,
    )


def _charges(context: Context, known: _Known, competence: date) -> list[MonthCharge]:
    charged = [each.contract for each in known.contracts if is_charged(each.contract, competence)]
    keys = [keys_of_charge(each, competence, known.pasts[folded_key(each.key)].emitters) for each in charged]
    billed = context.ledger.read(ledger_contracts.living_keys, set().union(*keys))
    ended = context.ledger.read(ledger_contracts.cancelled_charges, set().union(*keys) - billed.keys())
    return [
        _month_charge(
            contract,
            competence,
            known,
            [billed[key] for key in own_keys if key in billed],
            ended=[ended[key] for key in own_keys if key in ended],
            day=context.today,
        )
        for contract, own_keys in zip(charged, keys, strict=True)
    ]


def _unbilled_charges(context: Context, known: _Known, competence: date) -> list[MonthCharge]:
    return [
        each
        for each in _charges(context, known, competence)
        if each.status not in _SETTLED and known.pasts[folded_key(each.contract.key)].first_month <= competence
    ]


def _month_charge(
    contract: Contract,
    competence: date,
    known: _Known,
    amounts: Sequence[int],
    *,
    ended: Sequence[CancelledCharge],
    day: date,
) -> MonthCharge:
    found = charge_of(contract, competence, indexes=known.indexes, is_holiday=known.is_holiday)
    charge = found if isinstance(found, Charge) else None
    if amounts:
        return MonthCharge(contract, "billed", charge, billed_cents=sum(amounts))
    if charge is None:
        return MonthCharge(contract, "unknown", problems=found if isinstance(found, list) else ())
    if any(_charged_the_same(contract, charge, each) for each in ended):
        return MonthCharge(contract, "cancelled", charge)
    return MonthCharge(contract, "due" if charge.due_on <= day else "later", charge)


def _charged_the_same(contract: Contract, charge: Charge, cancelled: CancelledCharge) -> bool:
    """Return whether a cancelled invoice billed what the contract charges now: nobody has corrected the contract since.

    If its content is in the file of a detached month, assume so.
    """
    if not cancelled.content:
        return True
    description = cancelled.content.get("description", "") if charge.description else ""
    then = (
        cancelled.emitter_cnpj,
        cancelled.content.get("taker_document"),
        folded_charge(cancelled.template_name or ""),
        cancelled.cents,
        folded_charge(description),
    )
    return then == (
        contract.emitter_cnpj,
        contract.customer.number,
        folded_charge(contract.template_name),
        charge.cents,
        folded_charge(charge.description),
    )


def _months(first: date, end: date) -> Iterator[date]:
    """Yield the months from `first` on that are before `end`."""
    while first < end:
        yield first
        first = add_months(first, 1)
