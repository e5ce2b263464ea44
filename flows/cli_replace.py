"""Commands `replace`: prepare new invoices for approval that replace issued ones."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import App

from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows.arguments import Profile, console, parse_month, require_readable, require_reason
from flows.arguments import parse_cents as cents
from flows.authentication import acting_person
from flows.bill_services import bill_services
from flows.cli_bill import show_bill
from flows.console_table import show_list
from flows.named_invoice import named_invoice
from flows.orchestrator import run_flow, start_notice
from flows.progress import show_progress
from flows.safe_console import show_alarm
from tasks.cancellations.views import number_of
from tasks.replacements.requests import Replacement, check_replacement, read_list, write_sheet
from tasks.runtime import Context, open_context
from tasks.stations.read import open_file, read_opened
from tasks.stations.reading_options import ReadingOptions, with_operator

replace = App(name="replace")


@replace.command
def invoice(
    *,
    because: str,
    rps: str | None = None,
    nfse: str | None = None,
    note: int | None = None,
    emitter: str | None = None,
    amount: str | None = None,
    description: str | None = None,
    competence: str | None = None,
    template: str | None = None,
    profile: Profile = "local",
) -> None:
    """Get an invoice ready for approval that replaces an issued one."""
    given: dict[str, Any] = {
        "service_cents": None if amount is None else cents(amount),
        "description": description,
        "competence": None if competence is None else parse_month(competence),
        "template_name": template,
    }
    with open_context(profile) as context:
        found = named_invoice(context, rps=rps, nfse=nfse, note=note, emitter=emitter)
        changed = {name: value for name, value in given.items() if value is not None}
        replacement = check_replacement(context, found, changed, reason=require_reason(because))
        if replacement.problems:
            raise FaturistaError(replacement.problems[0])
        begun = _begin(context, [replacement])
    _bill(profile, begun)


@replace.command(name="list")
def list_(file: Path, *, sheet: str | None = None, profile: Profile = "local") -> None:
    """Get invoices ready for approval that replace those marked in a workbook, with its corrected cells."""
    with open_context(profile) as context:
        replacements = read_list(context, require_readable(file, profile), sheet=sheet)
        good = [replacement for replacement in replacements if not replacement.problems]
        bad = [problem for replacement in replacements for problem in replacement.problems]
        for problem in bad:
            show_alarm(console, context.catalogue.say(problem))
        if not good:
            raise FaturistaError(Problem("replace.nothing_left"))
        begun = _begin(context, good)
    _bill(profile, begun)
    if bad:
        sys.exit(1)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A written sheet of replacements: its path, the id of its reading, and the person who acts."""

    reading: int
    path: Path
    operator: str


def _begin(context: Context, replacements: Sequence[Replacement]) -> _Begun:
    """Show old and new, ask who acts, store the sheet and read it."""
    words = context.catalogue
    headings = [words.text(f"heading.{name}") for name in ("number", "total", "new_total", "reason")]
    rows = [
        (
            number_of(replacement.note),
            format_brl(replacement.note.service_cents),
            format_brl(replacement.line.service_cents),
            replacement.reason,
        )
        for replacement in replacements
        if replacement.note is not None and replacement.line is not None
    ]
    show_list(console, headings, rows, figures=[False, True, True, False])
    options = with_operator(ReadingOptions(operator=""), acting_person(context, Permission.BILL))
    path = write_sheet(context, replacements)
    return _Begun(read_opened(context, open_file(context, path, options), options), path, options.operator)


def _bill(profile: str, begun: _Begun) -> None:
    """Bill the sheet like any other, and show what to do next."""
    with open_context(profile) as context:
        words, home = context.catalogue, Path(context.settings.paths.home)
    console.print(start_notice(words))
    with show_progress(console, profile, title=words.text("progress.reading"), reading=begun.reading):
        reading = run_flow(
            bill_services, home, str(begun.path), profile=profile, operator=begun.operator, made=begun.reading
        )
    show_bill(profile, reading)
