"""Change one contract for a person: pause, resume, end, add to or reduce one month's charge.

Each change raises `FaturistaError` if the contract does not allow it, or if somebody else changed it meanwhile.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import contract_pasts
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import ContractRecord
from domain.competence import add_months, format_competence
from domain.contracts.charges import keys_of_charge
from domain.contracts.contract import Adjustment, Contract, Pause, contract_problems
from domain.contracts.description import description_problems
from domain.contracts.histories import Pasts
from domain.contracts.schedule import is_charged
from domain.contracts.services import overlap_problem
from domain.problems import FaturistaError, Problem
from tasks.contracts.periods import covering_periods, double_charge_problem
from tasks.contracts.plans import overlaps_of
from tasks.runtime import Context


def contract_of(context: Context, key: str) -> ContractRecord:
    """Return the newest version of a contract. Raises `FaturistaError` (`contract.unknown`)."""
    versions = context.ledger.read(ledger_contracts.versions_of, key)
    if not versions:
        raise FaturistaError(Problem("contract.unknown", params={"key": key[:60]}))
    return versions[-1]


def pause_contract(
    context: Context, key: str, *, since: date, until: date | None, person: str, because: str
) -> ContractRecord:
    """Bill nothing from the month `since` to the month `until`, both included; None means until `resume_contract`."""

    def add_pause(contract: Contract) -> Contract:
        if any(_is_overlapping(each, since, until) for each in contract.pauses):
            raise FaturistaError(Problem("contract.paused_already", params={"key": contract.key}))
        return replace(contract, pauses=(*contract.pauses, Pause(since=since, until=until)))

    return _change(context, key, add_pause, person=person, because=because)


def resume_contract(context: Context, key: str, *, since: date, person: str, because: str) -> ContractRecord:
    """Bill again from the month `since` on, which a pause has to cover."""

    def end_pause(contract: Contract) -> Contract:
        covering = [each for each in contract.pauses if each.covers(since)]
        if not covering:
            params = {"key": contract.key, "month": format_competence(since)}
            raise FaturistaError(Problem("contract.not_paused", params=params))
        cut = [replace(each, until=add_months(since, -1)) for each in covering if each.since < since]
        kept = [each for each in contract.pauses if each not in covering]
        return replace(contract, pauses=(*kept, *cut))

    return _change(context, key, end_pause, person=person, because=because)


def end_contract(context: Context, key: str, *, last_on: date | None, person: str, because: str) -> ContractRecord:
    """Set the last day of the service, or remove it (None)."""
    return _change(context, key, lambda contract: replace(contract, ends_on=last_on), person=person, because=because)


def adjust_contract(context: Context, key: str, adjustment: Adjustment, *, person: str) -> ContractRecord:
    """Add to the charge of one month or reduce it; the adjustment's reason is the reason of the change.

    In a month without a charge, an adjustment may only cancel earlier ones.
    """
    params = {"key": contract_of(context, key).contract.key, "month": format_competence(adjustment.competence)}
    if adjustment.competence in context.ledger.read(closed_months):
        raise FaturistaError(Problem("closing.closed", params={"month": params["month"]}))

    def add_adjustment(contract: Contract) -> Contract:
        emitters = {each.contract.emitter_cnpj for each in context.ledger.read(ledger_contracts.versions_of, key)}
        keys = keys_of_charge(contract, adjustment.competence, emitters)
        if context.ledger.read(ledger_contracts.living_keys, keys):
            raise FaturistaError(Problem("contract.charge_billed", params=params))
        changed = replace(contract, adjustments=(*contract.adjustments, adjustment))
        if _total_of(changed, adjustment.competence) and not _is_billable(context, contract, adjustment.competence):
            raise FaturistaError(Problem("contract.not_charged", params=params))
        return changed

    return _change(context, key, add_adjustment, person=person, because=adjustment.reason)


def _change(
    context: Context, key: str, change: Callable[[Contract], Contract], *, person: str, because: str
) -> ContractRecord:
    record = contract_of(context, key)
    contract = change(record.contract)
    pasts = context.ledger.read(contract_pasts)
    wrong = list(contract_problems(contract)) or [*description_problems(contract), *_overlap(context, pasts, contract)]
    if not wrong and (again := double_charge_problem(context, pasts, record.contract, contract)) is not None:
        wrong = [again]
    if wrong:
        raise FaturistaError(wrong[0], *wrong[1:])
    if contract == record.contract:
        return record
    if not context.ledger.write(
        ledger_contracts.write_version, contract, after=record.ordinal, by=person, because=because
    ):
        raise FaturistaError(Problem("contract.changed_meanwhile"))
    return contract_of(context, key)


def _total_of(contract: Contract, competence: date) -> int:
    """Return the sum of the one-off amounts of a month in cents."""
    return sum(each.cents for each in contract.adjustments if each.competence == competence)


def _is_billable(context: Context, contract: Contract, competence: date) -> bool:
    """Return whether the contract charges in the month, and no invoice of another month covers that charge."""
    return is_charged(contract, competence) and not covering_periods(
        context, context.ledger.read(contract_pasts), [contract], competence
    )


def _overlap(context: Context, pasts: Pasts, contract: Contract) -> list[Problem]:
    others = [each.contract for each in context.ledger.read(ledger_contracts.contracts_all)]
    before = overlaps_of(others, pasts.families)
    found = overlaps_of([contract, *(each for each in others if each.key != contract.key)], pasts.families)
    other = found.get(contract.key)
    if other is None or contract.key in before:
        return []
    return [overlap_problem(other)]


def _is_overlapping(pause: Pause, since: date, until: date | None) -> bool:
    ends_before = pause.until is not None and pause.until < since
    begins_after = until is not None and until < pause.since
    return not (ends_before or begins_after)
