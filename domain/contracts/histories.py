"""The past of contracts: which of them had the same customer, and whose invoices cover the days of a charge."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Self, TypeAlias

from domain.competence import BRASILIA, first_of_month
from domain.contracts.billed_periods import BilledPeriod, neighbouring_months
from domain.contracts.contract import Contract
from domain.contracts.schedule import period_of
from domain.contracts.services import Families, service_of
from domain.texts import folded_charge

Billed: TypeAlias = Mapping[str, Sequence[BilledPeriod]]
"""The billed periods of contracts, by folded key."""


@dataclass(frozen=True, slots=True)
class ContractHistory:
    """When a contract was entered; the companies' CNPJ, the customers and the longest cadence of all its versions."""

    entered_at: datetime
    emitters: frozenset[str]
    customers: frozenset[str]
    longest_cadence: int

    @property
    def first_month(self) -> date:
        """Return the month in which the contract was entered, in Brasília. No charge of an earlier month is missing."""
        return first_of_month(self.entered_at.astimezone(BRASILIA).date())


@dataclass(frozen=True, slots=True)
class Pasts:
    """The past of every contract, by folded key, and the families of the templates.

    `by_customer` has the keys of the contracts that have or had a customer.
    """

    histories: Mapping[str, ContractHistory]
    families: Families
    by_customer: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, histories: Mapping[str, ContractHistory], families: Families) -> Self:
        """Group the contracts by customer."""
        by_customer: defaultdict[str, list[str]] = defaultdict(list)
        for key, past in histories.items():
            for document in past.customers:
                by_customer[document].append(key)
        return cls(histories, families, by_customer)

    def others_of(self, contract: Contract) -> list[str]:
        """Return the folded keys of the other contracts that have or had its customer."""
        own = folded_charge(contract.key)
        return [key for key in self.by_customer.get(contract.customer.number, ()) if key != own]

    def months_of(self, charges: Iterable[tuple[Contract, date]]) -> dict[str, set[date]]:
        """Return, by folded key, the months whose invoices may cover days of these charges."""
        months: defaultdict[str, set[date]] = defaultdict(set)
        for contract, month in charges:
            own = folded_charge(contract.key)
            for key in (own, *self.others_of(contract)):
                near = neighbouring_months(max(self.longest_cadence(key), contract.cadence_months), month)
                months[key].update(near if key == own else (*near, month))
        return {key: found for key, found in months.items() if found}

    def longest_cadence(self, key: str) -> int:
        """Return the most months that a charge of any version of a contract covers; 1 for an unknown contract."""
        past = self.histories.get(key)
        return 1 if past is None else past.longest_cadence

    def covering(self, contract: Contract, competence: date, billed: Billed) -> BilledPeriod | None:
        """Return the billed period, of the contract's own first, that covers days of its charge of this month."""
        own = (each for each in billed.get(folded_charge(contract.key), ()) if each.covers_charge(contract, competence))
        days = period_of(contract, competence)
        return next(own, None) or self.covering_other(contract, days.first_on, days.last_on, billed)

    def covering_other(self, contract: Contract, first_on: date, last_on: date, billed: Billed) -> BilledPeriod | None:
        """Return the billed period of another contract that covers some of these days of a contract's service."""
        service = service_of(contract, self.families)
        others = (period for key in self.others_of(contract) for period in billed.get(key, ()))
        return next((period for period in others if period.covers_service(service, first_on, last_on)), None)
