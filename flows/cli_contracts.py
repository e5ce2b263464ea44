"""The commands `contracts`: show what is charged each month, and change one contract on a person's order."""

from collections.abc import Sequence
from datetime import date
from typing import get_args

from cyclopts import App

from configs.catalogue import Catalogue
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.contracts import ContractRecord
from domain.competence import BRASILIA, format_competence, parse_emission
from domain.contracts.contract import Adjustment, Contract
from domain.contracts.terms import contract_cells, contract_changes
from domain.money import format_brl
from domain.problems import InputError, Problem
from domain.staff import Permission
from flows.arguments import Profile, console, parse_cents, parse_month, require_reason
from flows.authentication import acting_name
from flows.console_table import change_line, show_list
from flows.safe_console import show_alarm
from tasks.contracts import changes
from tasks.contracts.month import ChargeStatus, MonthCharge, charges_of_month, missed_months
from tasks.contracts.plans import remarks_of
from tasks.runtime import Context, open_context

contracts = App(name="contracts")

_LIST = ("contract", "taker", "template", "amount", "first", "last", "billing_day", "cadence", "readjustment")
_DUE = ("contract", "taker", "amount", "due_on", "status", "detail")


@contracts.command(name="list")
def list_(*, profile: Profile = "local") -> None:
    """Show the current state of every contract."""
    with open_context(profile) as context:
        words = context.catalogue
        found = [each.contract for each in context.ledger.read(ledger_contracts.contracts_all)]
        if not found:
            console.print(words.text("contracts.none"))
            return
        show_list(
            console, _headings(words, _LIST), map(_contract_row, found), figures=[name == "amount" for name in _LIST]
        )
        for each in found:
            for sentence in _pauses_and_adjustments(words, each):
                console.print(sentence)


@contracts.command
def show(key: str, *, profile: Profile = "local") -> None:
    """Show one contract and its whole history: each change, by whom and why."""
    with open_context(profile) as context:
        record = changes.contract_of(context, key)
        versions = context.ledger.read(ledger_contracts.versions_of, key)
        for field, text in contract_cells(record.contract).items():
            console.print(f"{context.catalogue.field(field)}: {text or '–'}")
        for sentence in _pauses_and_adjustments(context.catalogue, record.contract):
            console.print(sentence)
        for before, after in zip([None, *versions], versions, strict=False):
            console.print(_version_line(context.catalogue, before, after))


@contracts.command
def due(competence: str, *, profile: Profile = "local") -> None:
    """Show what contracts charge in a month: billed, due, due later, or not computable and why."""
    with open_context(profile) as context:
        words = context.catalogue
        found = charges_of_month(context, parse_month(competence))
        rows = [_charge_row(words, each) for each in found]
        show_list(console, _headings(words, _DUE), rows, figures=[name == "amount" for name in _DUE])
        for status in get_args(ChargeStatus):
            if cents := [each.cents for each in found if each.status == status]:
                total = "–" if None in cents else format_brl(sum(filter(None, cents)))
                name = words.text(f"contracts.{status}")
                console.print(words.text("contracts.total", status=name, count=len(cents), total=total))
        for problem in missed_months(context):
            show_alarm(console, words.say(problem))


@contracts.command
def pause(key: str, *, since: str, because: str, until: str | None = None, profile: Profile = "local") -> None:
    """Charge nothing from a month on, up to and including another month, or until `resume`."""
    last = None if until is None else parse_month(until)
    with open_context(profile) as context:
        done = changes.pause_contract(
            context,
            key,
            since=parse_month(since),
            until=last,
            because=require_reason(because),
            person=acting_name(context, Permission.BILL),
        )
        _print_changed(context, done)


@contracts.command
def resume(key: str, *, since: str, because: str, profile: Profile = "local") -> None:
    """Charge a paused contract again from a month on."""
    with open_context(profile) as context:
        done = changes.resume_contract(
            context,
            key,
            since=parse_month(since),
            because=require_reason(because),
            person=acting_name(context, Permission.BILL),
        )
        _print_changed(context, done)


@contracts.command
def end(key: str, *, because: str, last: str | None = None, never: bool = False, profile: Profile = "local") -> None:
    """End a contract with a last day of service, or remove its end with --never."""
    last_on = None if never else _day(last or "")
    with open_context(profile) as context:
        done = changes.end_contract(
            context, key, last_on=last_on, because=require_reason(because), person=acting_name(context, Permission.BILL)
        )
        _print_changed(context, done)


@contracts.command
def add(key: str, competence: str, value: str, *, because: str, profile: Profile = "local") -> None:
    """Add an amount to the charge of one month."""
    _adjust(key, parse_month(competence), parse_cents(value), because, profile)


@contracts.command
def discount(key: str, competence: str, value: str, *, because: str, profile: Profile = "local") -> None:
    """Take an amount off the charge of one month."""
    _adjust(key, parse_month(competence), -parse_cents(value), because, profile)


def _adjust(key: str, competence: date, cents: int, because: str, profile: str) -> None:
    adjustment = Adjustment(competence=competence, cents=cents, reason=require_reason(because))
    with open_context(profile) as context:
        _print_changed(
            context,
            changes.adjust_contract(context, key, adjustment, person=acting_name(context, Permission.BILL)),
        )


def _day(text: str) -> date:
    found = parse_emission(text)
    if found is None:
        raise InputError(Problem("date.unreadable", "ends_on", params={"text": text[:40]}))
    return found.astimezone(BRASILIA).date()


def _print_changed(context: Context, record: ContractRecord) -> None:
    words = context.catalogue
    console.print(words.text("contracts.changed", key=record.contract.key, version=record.ordinal))
    for remarks in remarks_of(context, [record.contract]).values():
        for remark in remarks:
            show_alarm(console, words.say(remark))


def _headings(words: Catalogue, names: Sequence[str]) -> list[str]:
    return [words.text(f"heading.{name}") for name in names]


def _contract_row(contract: Contract) -> list[str]:
    texts = contract_cells(contract)
    names = ("name", "template_name", "service_cents", "starts_on", "ends_on", "billing_day", "cadence", "readjustment")
    return [contract.key, *(texts[name] for name in names)]


def _pauses_and_adjustments(words: Catalogue, contract: Contract) -> list[str]:
    """Return what a list has no column for: pauses and one-off amounts."""
    pauses = [
        words.text(
            "contracts.pause" if each.until is None else "contracts.pause_until",
            key=contract.key,
            since=format_competence(each.since),
            until="" if each.until is None else format_competence(each.until),
        )
        for each in contract.pauses
    ]
    once = [
        words.text(
            "contracts.once",
            key=contract.key,
            month=format_competence(each.competence),
            amount=format_brl(each.cents),
            reason=each.reason,
        )
        for each in contract.adjustments
    ]
    return [*pauses, *once]


def _charge_row(words: Catalogue, each: MonthCharge) -> list[str]:
    charge = each.charge
    return [
        each.contract.key,
        each.customer_name,
        "" if each.cents is None else format_brl(each.cents),
        "" if charge is None else f"{charge.due_on:%d/%m/%Y}",
        words.text(f"contracts.{each.status}"),
        " ".join(words.say(problem) for problem in each.remarks),
    ]


def _version_line(words: Catalogue, before: ContractRecord | None, after: ContractRecord) -> str:
    found = () if before is None else contract_changes(before.contract, after.contract)
    changes = [change_line(words, words.field(each.field), each) for each in found]
    return words.text(
        "contracts.version",
        version=after.ordinal,
        at=f"{after.changed_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
        person=after.changed_by,
        because=after.because,
        changes="; ".join(changes),
    )
