"""Command `close`: close a month, show later changes of a closed one, or open it again."""

import sys
from datetime import date

from rich.console import Console

from domain.competence import BRASILIA, format_competence
from domain.money import format_brl
from domain.problems import Problem
from domain.staff import Permission
from flows.arguments import Profile, console, parse_month, require_reason
from flows.authentication import acting_name
from flows.console_table import show_list
from flows.safe_console import ALARM, show_alarm
from tasks.closing.accountant import write_accountant_file
from tasks.closing.close import ClosedMonth, changes_since, close_month, current_closing, reopen_month
from tasks.closing.late import late_problems
from tasks.runtime import Context, open_context


def close(
    competence: str,
    *,
    differences: bool = False,
    accountant: str | None = None,
    reopen: bool = False,
    because: str = "",
    profile: Profile = "local",
) -> None:
    """Close a month: freeze it and write its reports, or list what is still open."""
    asked = parse_month(competence)
    with open_context(profile) as context:
        if reopen:
            reopen_month(
                context, asked, because=require_reason(because), person=acting_name(context, Permission.OPERATE)
            )
            console.print(context.catalogue.text("closing.reopened", month=format_competence(asked)))
        elif differences:
            _show_differences(context, asked)
        elif accountant:
            path = write_accountant_file(context, current_closing(context, asked), accountant, context.outbox)
            console.print(str(path), soft_wrap=True)
        else:
            if not show_closing(console, context, asked, person=acting_name(context, Permission.OPERATE)):
                sys.exit(1)
            _show_differences(context, asked)


def show_closing(console: Console, context: Context, competence: date, *, person: str) -> bool:
    """Close a month and show its reports, or show what is still open. Return whether the month is closed."""
    words = context.catalogue
    made = close_month(context, competence, person=person)
    if not isinstance(made, ClosedMonth):
        console.print(words.text("closing.still_open", month=format_competence(competence)), style="bold")
        for item in made:
            show_alarm(console, words.say(item), style=ALARM)
        return False
    code = "closing.done" if made.is_new else "closing.again"
    at = f"{made.closing.closed_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    console.print(words.text(code, month=format_competence(competence), person=made.closing.closed_by, at=at))
    for path, digest in made.reports.items():
        console.print(f"{path}  SHA-256 {digest}", soft_wrap=True)
    for name in made.differing:
        show_alarm(console, words.say(Problem("closing.report_differs", params={"file": name})), style=ALARM)
    return True


def _show_differences(context: Context, competence: date) -> None:
    words = context.catalogue
    closing = current_closing(context, competence)
    found, late = changes_since(context, closing), late_problems(context, closing)
    for each in late:
        show_alarm(console, words.say(each), style=ALARM)
    if not found:
        if not late:
            console.print(words.text("closing.unchanged"))
        return
    console.print(words.text("closing.changed", count=len(found)), style="bold")
    headings = [
        words.text(f"heading.{name}") for name in ("invoice", "number", "state_then", "state", "total", "instant")
    ]
    rows = [
        [
            str(each.invoice_id),
            f"{each.serie}-{each.number}" if each.number is not None else "",
            "" if each.was is None else words.text(f"state.invoice.{each.was.value}"),
            words.text(f"state.invoice.{each.becomes.value}"),
            format_brl(each.service_cents),
            f"{each.at.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
        ]
        for each in found
    ]
    show_list(console, headings, rows, figures=[False, False, False, False, True, False])
