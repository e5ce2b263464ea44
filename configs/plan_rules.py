"""Read the rule file that decides which paid order invoices become NFS-e, with their emitter and template."""

import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from configs.sections import Section
from domain.documents import parse_document
from domain.orders.billing import BillingRules, PlanRule, description_problems
from domain.orders.orders import OrderStatus
from domain.problems import Problem, SettingsError

_LARGEST_FILE: Final = 1_000_000
_MOST_RULES: Final = 1_000
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]


class _Rule(Section):
    plan: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    emitter: Text = ""
    template: Text = ""
    description: Text = ""
    orders: tuple[OrderStatus, ...] = ()
    numbers: tuple[int, ...] = ()
    bill: bool = True


class _File(Section):
    since: date
    rules: Annotated[tuple[_Rule, ...], Field(min_length=1, max_length=_MOST_RULES)]


def load_plan_rules(path: Path) -> BillingRules:
    """Return the rules of a file. Raises `SettingsError` with one Problem in `details` for each mistake."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise SettingsError(Problem("rules.unreadable", params={"path": str(path)}))
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(Problem("rules.missing", params={"path": str(path)})) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(Problem("rules.unreadable", params={"path": str(path)})) from error
    try:
        content = _File.model_validate(raw)
    except ValidationError as error:
        faults = _in_words(path, error.errors(include_url=False, include_input=False))
    else:
        rules = tuple(_rule(each) for each in content.rules)
        faults = list(_unfit(rules))
        if not faults:
            return BillingRules(path=str(path), since=content.since, rules=rules)
    raise SettingsError(Problem("rules.invalid", params={"path": str(path)}), *faults)


def _rule(written: _Rule) -> PlanRule:
    parsed = parse_document(written.emitter)
    return PlanRule(
        plan=written.plan,
        emitter_cnpj="" if isinstance(parsed, Problem) or parsed.document.kind != "cnpj" else parsed.document.number,
        template_name=written.template,
        description=written.description,
        statuses=frozenset(written.orders),
        numbers=frozenset(written.numbers),
        is_billed=written.bill,
    )


def _unfit(rules: tuple[PlanRule, ...]) -> Iterator[Problem]:
    for number, rule in enumerate(rules, start=1):
        where: dict[str, str | int] = {"number": number, "plan": rule.plan}
        if rule.is_billed and not rule.emitter_cnpj:
            yield Problem("rules.no_emitter", params=where)
        if rule.is_billed and not rule.template_name:
            yield Problem("rules.no_template", params=where)
        yield from description_problems(rule.description)
        if any(each.covers(rule) for each in rules[: number - 1]):
            yield Problem("rules.never_reached", params=where)


def _in_words(path: Path, faults: Sequence[ErrorDetails]) -> list[Problem]:
    """Return a problem for each mistake. Leave out an error about a list if there is one about a rule in it."""
    places = [fault["loc"] for fault in faults]
    return [
        _problem_of(path, fault)
        for fault in faults
        if not any(fault["loc"] == place[: len(fault["loc"])] and place != fault["loc"] for place in places)
    ]


def _problem_of(path: Path, fault: ErrorDetails) -> Problem:
    number = next((part + 1 for part in fault["loc"] if isinstance(part, int)), None)
    names = [part for part in fault["loc"] if isinstance(part, str)]
    params = {"key": names[-1][:40], "where": path.name if number is None else f"[[rules]] #{number}"}
    if fault["type"] == "extra_forbidden":
        return Problem("rules.unknown_key", params=params)
    return Problem("rules.missing_key" if fault["type"] == "missing" else "rules.bad_value", params=params)
