"""Compare charges with the periods that other invoices of the same contract cover: no day is billed twice."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Final

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import billed_periods
from connectors.ledger.contracts import ContractHistory, folded_key
from domain.competence import add_months, first_of_month, format_competence
from domain.contracts.billed_periods import BilledPeriod, neighbouring_months
from domain.contracts.contract import Contract
from domain.contracts.schedule import is_charged
from domain.problems import Problem
from tasks.runtime import Context

_SCHEDULE: Final = attrgetter("starts_on", "ends_on", "cadence_months", "is_prorated", "pauses")


def covering_periods(
    context: Context, pasts: Mapping[str, ContractHistory], contracts: Iterable[Contract], competence: date
) -> dict[str, BilledPeriod]:
    """Return, by folded key, the billed period that covers days of a contract's charge of this month.

    Pass contracts that charge in this month and have no invoice of it.
    """
    charged = {folded_key(each.key): each for each in contracts}
    months = {
        key: near
        for key, each in charged.items()
        if (near := neighbouring_months(max(pasts[key].longest_cadence, each.cadence_months), competence))
    }
    found = context.ledger.read(billed_periods, months) if months else {}
    covering = {
        key: next((period for period in periods if period.covers_charge(charged[key], competence)), None)
        for key, periods in found.items()
    }
    return {key: period for key, period in covering.items() if period is not None}


def charged_again(context: Context, old: Contract, new: Contract) -> Problem | None:
    """Return a problem if a new version would charge again, from this month on, days that an invoice covers.

    Charges of past months are left to `covering_periods`: no run bills them by itself.
    """
    if _SCHEDULE(old) == _SCHEDULE(new):
        return None
    key = folded_key(old.key)
    versions = context.ledger.read(ledger_contracts.versions_by_key, [key]).get(key, [])
    longest = max(each.cadence_months for each in (old, new, *(version.contract for version in versions)))
    if longest == 1:
        return None
    current = first_of_month(context.today)
    known = [add_months(current, step) for step in range(1 - longest, 2 * longest)]
    billed = context.ledger.read(billed_periods, {key: known}).get(key, [])
    coming = [add_months(current, step) for step in range(longest)]
    before = _covered(old, coming, billed)
    found = next((period for month, period in _covered(new, coming, billed).items() if month not in before), None)
    if found is None:
        return None
    params: dict[str, str | int] = {"month": format_competence(found.month), "until": format_competence(found.last_on)}
    return Problem("contract.period_billed", "starts_on", params=params)


def _covered(contract: Contract, months: Sequence[date], billed: Sequence[BilledPeriod]) -> dict[date, BilledPeriod]:
    """Return the unbilled months in which the contract charges days that an invoice covers, each with its period."""
    own = {period.month for period in billed}
    charged = [month for month in months if month not in own and is_charged(contract, month)]
    pairs = ((month, period) for month in charged for period in billed if period.covers_charge(contract, month))
    return dict(pairs)
