"""Compute what a contract bills in one month: amount to the cent, text, due date, and how the amount was computed.

Proration: amount × days covered ÷ days of the whole period, rounded half up to the cent. Readjustment: at each
anniversary the current amount × (1 + rate), rounded half up to the cent. With an index, the rate is the product of the
twelve months that end two months before the anniversary, because an index is published a month late.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from domain.competence import add_months, format_competence
from domain.contracts.billing_day import IsHoliday
from domain.contracts.contract import Contract, Index
from domain.contracts.description import fill_description
from domain.contracts.schedule import anniversaries_of, covered_days, is_charged, period_of
from domain.keys import business_key
from domain.money import BASIS_POINTS_IN_ONE, format_brl
from domain.problems import Problem

_EXACT: Final = Context(prec=60)
_MONTHS_OF_INDEX: Final = 12
_PUBLICATION_LAG: Final = 2

Indexes = Mapping[tuple[Index, date], Decimal]
"""The monthly change of an index in percent, by index and first day of the month: 0.48 means 0.48 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCharge:
    """What a contract bills in one month. `cents` is the amount of the invoice."""

    competence: date
    due_on: date
    cents: int
    description: str
    remarks: tuple[Problem, ...]


def charge_of(
    contract: Contract, competence: date, *, indexes: Indexes, is_holiday: IsHoliday
) -> ContractCharge | list[Problem] | None:
    """Return the charge of a month, None when the contract bills nothing then, or the problems that prevent it.

    `competence` is the first day of the month.
    """
    if not is_charged(contract, competence):
        return None
    full_cents, missing = readjust_amount(contract, competence, indexes)
    texts = fill_description(contract, competence)
    problems = [*_missing_index(contract, missing), *(texts if isinstance(texts, list) else [])]
    if problems or isinstance(texts, list):
        return problems
    period = period_of(contract, competence)
    cents = full_cents
    remarks: list[Problem] = []
    if full_cents != contract.cents:
        params: dict[str, str | int] = {"base": format_brl(contract.cents), "full": format_brl(full_cents)}
        remarks.append(Problem("contract.readjusted", "cents", params=params))
    if contract.is_prorated and not period.is_whole:
        cents = half_up(full_cents * period.days, period.whole_days)
        params = {"days": period.days, "whole": period.whole_days, "full": format_brl(full_cents)}
        remarks.append(Problem("contract.prorated", "cents", params=params))
    for each in contract.adjustments:
        if each.competence == competence:
            cents += each.cents
            params = {"amount": format_brl(each.cents), "reason": each.reason}
            remarks.append(Problem("contract.adjusted", "cents", params=params))
    if cents <= 0:
        return [Problem("contract.nothing_left", "cents", params={"amount": format_brl(cents)})]
    return ContractCharge(
        competence=competence,
        due_on=contract.billing_day.in_month(competence, is_holiday),
        cents=cents,
        description=texts,
        remarks=tuple(remarks),
    )


def equal_charge(
    old: Contract, new: Contract, competence: date, *, indexes: Indexes, is_holiday: IsHoliday
) -> ContractCharge | None:
    """Return the charge of a month if both versions of a contract bill it with the same terms, or None."""
    was, becomes = (charge_of(each, competence, indexes=indexes, is_holiday=is_holiday) for each in (old, new))
    if not isinstance(was, ContractCharge) or not isinstance(becomes, ContractCharge):
        return None
    return becomes if _terms(old, was) == _terms(new, becomes) else None


def keys_of_charge(contract: Contract, competence: date, emitters: Collection[str]) -> set[str]:
    """Return the business keys of a charge: the contract's own key decides, whatever else is billed and when.

    `emitters` are the CNPJ of all companies of the contract's versions: another company bills no month again.
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


def readjust_amount(contract: Contract, competence: date, indexes: Indexes) -> tuple[int, Sequence[date]]:
    """Return the amount of a whole period in this month, in cents, and the months whose index value is missing."""
    cents = contract.cents
    missing: list[date] = []
    for anniversary in anniversaries_of(contract, competence):
        if contract.readjustment_bp is not None:
            cents = half_up(cents * (BASIS_POINTS_IN_ONE + contract.readjustment_bp), BASIS_POINTS_IN_ONE)
        elif contract.index is not None:
            factor, gaps = _index_factor(contract.index, anniversary, indexes)
            missing += gaps
            cents = int(_EXACT.multiply(Decimal(cents), factor).quantize(Decimal(1), ROUND_HALF_UP, _EXACT))
    return cents, missing


def half_up(numerator: int, denominator: int) -> int:
    """Divide non-negative integers, rounding half up."""
    return (2 * numerator + denominator) // (2 * denominator)


def _terms(contract: Contract, charge: ContractCharge) -> tuple[object, ...]:
    """Return what an invoice of the charge has from its contract, when it is due, and which days it covers."""
    parties = contract.emitter_cnpj, contract.customer, contract.customer_name, contract.template_name
    return (*parties, charge.cents, charge.description, charge.due_on, covered_days(contract, charge.competence))


def _missing_index(contract: Contract, months: Sequence[date]) -> Iterator[Problem]:
    """Yield one problem for all months whose index value is missing, the oldest first."""
    if contract.index is not None and months:
        listed = ", ".join(map(format_competence, sorted(set(months))))
        yield Problem("contract.index_missing", "index", params={"index": contract.index.label, "months": listed})


def _index_factor(index: Index, anniversary: date, indexes: Indexes) -> tuple[Decimal, list[date]]:
    factor, missing = Decimal(1), []
    last = add_months(anniversary, -_PUBLICATION_LAG)
    for month in (add_months(last, -back) for back in range(_MONTHS_OF_INDEX)):
        value = indexes.get((index, month))
        if value is None:
            missing.append(month)
        else:
            factor = _EXACT.multiply(factor, 1 + value / 100)
    return factor, missing
