"""The schedule of a contract: the months it bills, the days each charge covers, and the installment numbers."""

from dataclasses import dataclass
from datetime import date, timedelta

from domain.competence import add_months, first_of_month
from domain.contracts.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The days that one charge covers, both ends included. A full charge covers `whole_days`."""

    first_on: date
    last_on: date
    whole_days: int

    @property
    def days(self) -> int:
        """Return the number of days that the charge covers."""
        return (self.last_on - self.first_on).days + 1

    @property
    def is_whole(self) -> bool:
        """Return whether the charge covers its whole period."""
        return self.days == self.whole_days


def is_charged(contract: Contract, competence: date) -> bool:
    """Return whether the contract bills in this month: a month of its cadence, within its days, outside its pauses."""
    months = _months_since_start(contract, competence)
    if months < 0 or months % contract.cadence_months:
        return False
    if contract.ends_on is not None and contract.ends_on < competence:
        return False
    return not any(pause.covers(competence) for pause in contract.pauses)


def period_of(contract: Contract, competence: date) -> Period:
    """Return the days that this month's charge covers: from its month to the month of the next charge.

    The contract's start and end cut the period. Call it only for a month in which `is_charged`.
    """
    next_month = add_months(competence, contract.cadence_months)
    first_on = max(competence, contract.starts_on)
    last_on = next_month - timedelta(days=1)
    if contract.ends_on is not None:
        last_on = min(last_on, contract.ends_on)
    return Period(first_on=first_on, last_on=last_on, whole_days=(next_month - competence).days)


def covered_days(contract: Contract, competence: date) -> tuple[date, date]:
    """Return the first and the last day that this month's charge pays for: its whole period unless it counts days."""
    if contract.is_prorated:
        period = period_of(contract, competence)
        return period.first_on, period.last_on
    return competence, add_months(competence, contract.cadence_months) - timedelta(days=1)


def installment_of(contract: Contract, competence: date) -> int:
    """Return the number of the charge, from 1. Pauses do not shift the numbers: a paused month keeps its own."""
    return _months_since_start(contract, competence) // contract.cadence_months + 1


def installments_of(contract: Contract) -> int | None:
    """Return how many charges the contract has in total; None while it has no end."""
    return None if contract.ends_on is None else installment_of(contract, first_of_month(contract.ends_on))


def anniversaries_of(contract: Contract, competence: date) -> list[date]:
    """Return the months up to `competence` that readjust the amount: each twelfth month after the start."""
    years = _months_since_start(contract, competence) // 12
    start = first_of_month(contract.starts_on)
    return [add_months(start, 12 * year) for year in range(1, years + 1)]


def _months_since_start(contract: Contract, competence: date) -> int:
    start = contract.starts_on
    return (competence.year - start.year) * 12 + competence.month - start.month
