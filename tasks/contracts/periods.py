"""Compare charges with the periods that invoices of contracts cover: no day of a service is billed twice.

The other charges of the contract count, and other contracts for the same service: a person may end a contract and enter
it again under another key.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from operator import attrgetter
from typing import Final

from connectors.ledger.billed_charges import billed_periods
from connectors.ledger.contracts import folded_key
from domain.competence import add_months, first_of_month, format_competence
from domain.contracts.billed_periods import BilledPeriod
from domain.contracts.contract import Contract
from domain.contracts.histories import Billed, Pasts
from domain.contracts.schedule import is_charged
from domain.problems import Problem
from tasks.runtime import Context

_CHARGED: Final = attrgetter(
    "starts_on", "ends_on", "cadence_months", "is_prorated", "pauses", "emitter_cnpj", "customer", "template_name"
)


def covering_periods(
    context: Context, pasts: Pasts, contracts: Iterable[Contract], competence: date
) -> dict[str, BilledPeriod]:
    """Return, by folded key, the billed period that covers days of a contract's charge of this month.

    Pass contracts that charge in this month and have no invoice of it.
    """
    charged = list(contracts)
    months = pasts.months_of((each, competence) for each in charged)
    billed = context.ledger.read(billed_periods, months) if months else {}
    covering = ((folded_key(each.key), pasts.covering(each, competence, billed)) for each in charged)
    return {key: period for key, period in covering if period is not None}


def double_charge_problem(context: Context, pasts: Pasts, old: Contract | None, new: Contract) -> Problem | None:
    """Return a problem if a new version would charge again, from this month on, days that an invoice covers.

    `old` is None for a new contract. Charges of past months are left to `covering_periods`: no run bills them by
    itself.
    """
    if old is not None and _CHARGED(old) == _CHARGED(new):
        return None
    key, others = folded_key(new.key), pasts.others_of(new)
    longest = max(new.cadence_months, *(pasts.longest_cadence(each) for each in (key, *others)))
    if longest == 1 and not others:
        return None
    current = first_of_month(context.today)
    known = [add_months(current, step) for step in range(1 - longest, 2 * longest)]
    billed = context.ledger.read(billed_periods, dict.fromkeys((key, *others), known))
    coming = [add_months(current, step) for step in range(longest)]
    before = {} if old is None else _covered(pasts, old, coming, billed)
    found = next(
        (period for month, period in _covered(pasts, new, coming, billed).items() if month not in before), None
    )
    return None if found is None else _period_billed(found, new)


def unearned_period(context: Context, pasts: Pasts, contract: Contract) -> Problem | None:
    """Return a remark if an invoice of the contract covers days after its end."""
    if contract.ends_on is None:
        return None
    key, last = folded_key(contract.key), first_of_month(contract.ends_on)
    known = [add_months(last, step) for step in range(1 - pasts.longest_cadence(key), 2)]
    beyond = (
        each
        for each in context.ledger.read(billed_periods, {key: known}).get(key, ())
        if each.last_on > contract.ends_on
    )
    found = max(beyond, key=lambda each: each.last_on, default=None)
    if found is None:
        return None
    params: dict[str, str | int] = {"month": format_competence(found.month), "until": f"{found.last_on:%d/%m/%Y}"}
    return Problem("contract.paid_beyond_end", "ends_on", params=params)


def _covered(pasts: Pasts, contract: Contract, months: Sequence[date], billed: Billed) -> dict[date, BilledPeriod]:
    """Return the unbilled months in which the contract charges days that an invoice covers, each with its period."""
    own = {period.month for period in billed.get(folded_key(contract.key), ())}
    charged = (month for month in months if month not in own and is_charged(contract, month))
    pairs = ((month, pasts.covering(contract, month, billed)) for month in charged)
    return {month: period for month, period in pairs if period is not None}


def _period_billed(period: BilledPeriod, contract: Contract) -> Problem:
    params: dict[str, str | int] = {"month": format_competence(period.month)}
    if folded_key(period.key) == folded_key(contract.key):
        return Problem(
            "contract.period_billed", "starts_on", params=params | {"until": format_competence(period.last_on)}
        )
    params |= {"other": period.key, "until": f"{period.last_on:%d/%m/%Y}"}
    return Problem("contract.period_billed_by_other", "starts_on", params=params)
