"""The days that an invoice of a contract covers: no other charge of the contract may bill them again.

The version that made the charge decides, whatever versions came since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple, Self

from domain.competence import add_months
from domain.contracts.contract import Contract
from domain.contracts.schedule import covered_days, is_charged


class Version(NamedTuple):
    """One version of a contract, with its id in the ledger."""

    id: int
    contract: Contract


def neighbouring_months(longest: int, competence: date) -> list[date]:
    """Return the other months whose charges may cover days of this month's charge.

    `longest` is the most months that a charge of any version of the contract covers.
    """
    return [add_months(competence, step) for step in range(1 - longest, longest) if step]


@dataclass(frozen=True, slots=True, order=True)
class BilledPeriod:
    """The month of a billed charge, and the first and the last day that its invoice covers."""

    month: date
    first_on: date
    last_on: date

    @classmethod
    def of(cls, versions: Sequence[Version], month: date, last_version: int | None) -> Self:
        """Return the period of a billed charge.

        Args:
            versions: All versions of the contract, oldest first.
            month: First day of the month of the charge.
            last_version: Highest id of the versions that the charge was computed from. None: a person billed
                the charge, and it covers the longest period that any version gives to this month.
        """
        in_force = [each.contract for each in versions if last_version is not None and each.id <= last_version][-1:]
        made_by = [each for each in in_force if is_charged(each, month)]
        candidates = made_by or [each.contract for each in versions if is_charged(each.contract, month)]
        whole_month = month, add_months(month, 1) - timedelta(days=1)
        periods = [covered_days(each, month) for each in candidates] or [whole_month]
        return cls(month, min(first for first, _ in periods), max(last for _, last in periods))

    def covers_charge(self, contract: Contract, competence: date) -> bool:
        """Return whether the charge of another month would bill some of these days again."""
        first_on, last_on = covered_days(contract, competence)
        return competence != self.month and first_on <= self.last_on and self.first_on <= last_on
