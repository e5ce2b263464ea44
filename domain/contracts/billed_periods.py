"""The days that an invoice of a contract covers: no other charge of the contract may bill them again.

The version that made the charge decides, whatever versions came since.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple, Self

from domain.competence import add_months, format_competence
from domain.contracts.contract import Contract
from domain.contracts.schedule import covered_days, is_charged
from domain.contracts.services import Service
from domain.problems import Problem
from domain.texts import folded_charge


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
    """The month of a billed charge of the contract `key`, and the first and the last day that its invoice covers.

    `service` is what the invoice bills: the contract may have changed since.
    """

    month: date
    first_on: date
    last_on: date
    key: str
    service: Service | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, versions: Sequence[Version], month: date, last_version: int | None, service: Service | None = None
    ) -> Self:
        """Return the period of a billed charge.

        Args:
            versions: All versions of the contract, oldest first.
            month: First day of the month of the charge.
            last_version: Highest id of the versions that the charge was computed from. None: a person billed
                the charge, and it covers the longest period that any version gives to this month.
            service: What the invoice bills.
        """
        in_force = [each.contract for each in versions if last_version is not None and each.id <= last_version][-1:]
        made_by = [each for each in in_force if is_charged(each, month)]
        candidates = made_by or [each.contract for each in versions if is_charged(each.contract, month)]
        whole_month = month, add_months(month, 1) - timedelta(days=1)
        periods = [covered_days(each, month) for each in candidates] or [whole_month]
        first_on, last_on = min(first for first, _ in periods), max(last for _, last in periods)
        return cls(month, first_on, last_on, versions[-1].contract.key, service)

    def covers_charge(self, contract: Contract, competence: date) -> bool:
        """Return whether the charge of another month would bill some of these days again."""
        first_on, last_on = covered_days(contract, competence)
        return competence != self.month and first_on <= self.last_on and self.first_on <= last_on

    def covers_service(self, service: Service, first_on: date, last_on: date) -> bool:
        """Return whether another contract would bill this service again on some of these days."""
        return self.service == service and first_on <= self.last_on and self.first_on <= last_on


def covered_problem(contract: Contract, period: BilledPeriod) -> Problem:
    """Return the remark about a charge whose days another invoice covers: of another month, or another contract."""
    params: dict[str, str | int] = {
        "month": format_competence(period.month),
        "since": f"{period.first_on:%d/%m/%Y}",
        "until": f"{period.last_on:%d/%m/%Y}",
    }
    if folded_charge(period.key) == folded_charge(contract.key):
        return Problem("contract.covered", params=params)
    return Problem("contract.covered_by_other", params=params | {"other": period.key})
