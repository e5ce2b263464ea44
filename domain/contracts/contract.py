"""A contract: one customer, one emitter, one template, an amount, and when it is billed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final, Self

from domain.competence import format_competence
from domain.contracts.billing_day import FIRST_BUSINESS_DAY, BillingDay
from domain.documents import Document
from domain.money import BASIS_POINTS_IN_ONE
from domain.problems import Problem

LARGEST_CADENCE: Final = 60
"""The most months between two charges; a longer cadence is a typing error."""


class Index(StrEnum):
    """A price index. A person imports its monthly values with a workbook."""

    IPCA = "ipca"
    IGPM = "igpm"

    @property
    def label(self) -> str:
        """The name as its publisher writes it."""
        return "IGP-M" if self is Index.IGPM else "IPCA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A one-off addition (positive cents) or discount (negative cents) for the charge of one month."""

    competence: date
    cents: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Months without a charge, both ends included. `until` is None while the end of the pause is unknown."""

    since: date
    until: date | None = None

    def covers(self, competence: date) -> bool:
        """Return whether the month is in the pause."""
        return self.since <= competence and (self.until is None or competence <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """A recurring charge.

    Attributes:
        key: The user's own name of the contract, unique in the ledger.
        emitter_cnpj: Canonical CNPJ of the company that bills.
        customer: CPF or CNPJ of the customer. Address and e-mail come from the provider's record.
        customer_name: Name of the customer.
        template_name: The service template of the emitter.
        cents: The amount of one full charge at the start, in cents.
        description: The text of the invoice, with placeholders (`domain.contracts.description`).
        starts_on: First day of the service.
        ends_on: Last day of the service; None while the contract has no end.
        billing_day: When a charge is due in its month.
        cadence_months: Months from one charge to the next: 1 monthly, 12 yearly.
        is_prorated: Bill an incomplete first or last period by days.
        readjustment_bp: Percentage of each anniversary in basis points; excludes `index`.
        index: Index of each anniversary.
        adjustments: One-off additions and discounts.
        pauses: Months without a charge.
    """

    key: str
    emitter_cnpj: str
    customer: Document
    customer_name: str
    template_name: str
    cents: int
    description: str
    starts_on: date
    ends_on: date | None = None
    billing_day: BillingDay = FIRST_BUSINESS_DAY
    cadence_months: int = 1
    is_prorated: bool = True
    readjustment_bp: int | None = None
    index: Index | None = None
    adjustments: tuple[Adjustment, ...] = ()
    pauses: tuple[Pause, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for the ledger. `from_json` reads it."""
        return {
            "key": self.key,
            "emitter_cnpj": self.emitter_cnpj,
            "customer": [self.customer.kind, self.customer.number],
            "customer_name": self.customer_name,
            "template_name": self.template_name,
            "cents": self.cents,
            "description": self.description,
            "starts_on": self.starts_on.isoformat(),
            "ends_on": None if self.ends_on is None else self.ends_on.isoformat(),
            "billing_day": self.billing_day.text,
            "cadence_months": self.cadence_months,
            "is_prorated": self.is_prorated,
            "readjustment_bp": self.readjustment_bp,
            "index": None if self.index is None else str(self.index),
            "adjustments": [[each.competence.isoformat(), each.cents, each.reason] for each in self.adjustments],
            "pauses": [
                [each.since.isoformat(), None if each.until is None else each.until.isoformat()] for each in self.pauses
            ],
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the contract from the JSON of `to_json`."""
        return cls(
            **{
                **raw,
                "customer": Document(*raw["customer"]),
                "starts_on": date.fromisoformat(raw["starts_on"]),
                "ends_on": _parse_iso_date(raw["ends_on"]),
                "billing_day": BillingDay.of(raw["billing_day"]),
                "index": None if raw["index"] is None else Index(raw["index"]),
                "adjustments": tuple(
                    Adjustment(competence=date.fromisoformat(month), cents=cents, reason=reason)
                    for month, cents, reason in raw["adjustments"]
                ),
                "pauses": tuple(
                    Pause(since=date.fromisoformat(since), until=_parse_iso_date(until))
                    for since, until in raw["pauses"]
                ),
            }
        )


def contract_problems(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each field of one contract that is invalid or contradicts another field."""
    if contract.cents <= 0:
        yield Problem("contract.amount", "cents")
    if contract.ends_on is not None and contract.ends_on < contract.starts_on:
        params = {"start": f"{contract.starts_on:%d/%m/%Y}", "end": f"{contract.ends_on:%d/%m/%Y}"}
        yield Problem("contract.end_before_start", "ends_on", params=params)
    if not 1 <= contract.cadence_months <= LARGEST_CADENCE:
        yield Problem("contract.cadence", "cadence_months", params={"limit": LARGEST_CADENCE})
    if contract.readjustment_bp is not None and contract.index is not None:
        yield Problem("contract.two_readjustments", "index")
    if contract.readjustment_bp is not None and abs(contract.readjustment_bp) > BASIS_POINTS_IN_ONE:
        yield Problem("contract.readjustment", "readjustment_bp")
    for pause in contract.pauses:
        if pause.until is not None and pause.until < pause.since:
            yield Problem("contract.pause", "pauses", params={"since": format_competence(pause.since)})


def _parse_iso_date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
