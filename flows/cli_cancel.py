"""The commands `cancel`: ask for cancellations of issued invoices, approve them, withdraw them, see the outcome."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cyclopts import App

from connectors.ledger import batches as ledger_batches
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.cancellations import Cancellation
from connectors.ledger.invoices import InvoiceRecord
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows.arguments import Profile, console, require_readable, require_reason
from flows.authentication import acting_name, acting_person
from flows.cli_approve import refuse_silent_yes
from flows.console_table import show_list
from flows.named_invoice import named_invoice
from flows.safe_console import show_alarm
from flows.screens import is_sum_confirmed
from tasks.cancellations import requests, views
from tasks.cancellations.cancel import cancel_batch
from tasks.cancellations.listed import read_list, request_listed
from tasks.cancellations.requests import Candidate
from tasks.cancellations.views import CancellationView
from tasks.runtime import Context, open_context, open_runtime, words_of

cancel = App(name="cancel")


@cancel.command
def invoice(
    *,
    because: str,
    rps: str | None = None,
    nfse: str | None = None,
    note: int | None = None,
    emitter: str | None = None,
    yes: bool = False,
    profile: Profile = "local",
) -> None:
    """Ask to cancel one issued invoice."""

    def choose(context: Context) -> list[InvoiceRecord]:
        return [named_invoice(context, rps=rps, nfse=nfse, note=note, emitter=emitter)]

    _request(choose, because=require_reason(because), yes=yes, profile=profile)


@cancel.command
def batch(batch: int, *, because: str, yes: bool = False, profile: Profile = "local") -> None:
    """Ask to cancel every issued invoice of a batch."""

    def choose(context: Context) -> list[InvoiceRecord]:
        record = context.ledger.read(ledger_batches.batch_of, batch)
        return context.ledger.read(ledger_invoices.invoices_of, record.id)

    _request(choose, because=require_reason(because), yes=yes, profile=profile)


@cancel.command(name="list")
def list_(file: Path, *, sheet: str | None = None, yes: bool = False, profile: Profile = "local") -> None:
    """Ask to cancel the invoices that are marked in a workbook."""
    with open_context(profile) as context:
        listed = read_list(context, require_readable(file, profile), sheet=sheet)
        _show_candidates(
            context, [each.candidate for each in listed if each.candidate is not None and not each.problems]
        )
        bad = [problem for each in listed for problem in each.problems]
        for problem in bad:
            show_alarm(console, context.catalogue.say(problem))
        notes = [each.candidate.note for each in listed if each.candidate is not None and not each.problems]
        if not notes:
            raise FaturistaError(Problem("cancel.nothing_left"))
        _confirm(context, notes, yes=yes)
        cancellations = request_listed(context, listed, actor=acting_person(context, Permission.OPERATE))
    _continue(profile, cancellations)
    if bad:
        sys.exit(1)


@cancel.command
def approve(*cancellations: int, yes: bool = False, profile: Profile = "local") -> None:
    """Approve cancellations that another person asked for: all that wait, or the ones named."""
    with open_context(profile) as context:
        refuse_silent_yes(context, yes=yes)
        waiting = requests.waiting_cancellations(context, cancellations)
        if not waiting:
            console.print(context.catalogue.text("cancel.nothing_waits"))
            return
        shown = views.views_of(context, waiting)
        _show_cancellations(context, shown)
        _confirm(context, [view.note for view in shown], yes=yes)
        batches = requests.approve(context, waiting, actor=acting_person(context, Permission.APPROVE))
    _carry_out(profile, batches, [cancellation.id for cancellation in waiting])


@cancel.command
def withdraw(*cancellations: int, because: str, profile: Profile = "local") -> None:
    """Withdraw cancellations that were not sent to the issuer yet."""
    with open_context(profile) as context:
        requests.withdraw(
            context, cancellations, because=require_reason(because), person=acting_name(context, Permission.OPERATE)
        )
        console.print(context.catalogue.text("cancel.taken_back", count=len(cancellations)))


@cancel.command
def show(*, profile: Profile = "local") -> None:
    """Show the cancellations that are open, and those of the last week."""
    with open_context(profile) as context:
        found = views.recent(context)
        if not found:
            console.print(context.catalogue.text("cancel.none"))
            return
        _show_cancellations(context, found)


def _request(choose: Callable[[Context], list[InvoiceRecord]], *, because: str, yes: bool, profile: str) -> None:
    """Show what would be cancelled, ask for the total, store the request, and carry it out if one person suffices."""
    with open_context(profile) as context:
        judged = requests.candidates(context, choose(context))
        _show_candidates(context, judged)
        notes = [each.note for each in judged if each.problem is None]
        if not notes:
            raise FaturistaError(Problem("cancel.nothing_left"))
        problem = requests.reason_problem(context, because, notes)
        if problem is not None:
            raise FaturistaError(problem)
        _confirm(context, notes, yes=yes)
        wanted = [(note, because) for note in notes]
        cancellations = requests.request(context, wanted, actor=acting_person(context, Permission.OPERATE))
    _continue(profile, cancellations)


def _continue(profile: str, cancellations: Sequence[Cancellation]) -> None:
    """Carry new cancellations out, or show which of them must be approved first."""
    if any(cancellation.approved_at is None for cancellation in cancellations):
        numbers = " ".join(str(cancellation.id) for cancellation in cancellations)
        console.print(words_of(profile).text("cancel.next_approve", cancellations=numbers), soft_wrap=True)
        return
    _carry_out(
        profile,
        sorted({cancellation.batch_id for cancellation in cancellations}),
        [cancellation.id for cancellation in cancellations],
    )


def _confirm(context: Context, notes: Sequence[InvoiceRecord], *, yes: bool) -> None:
    cents = sum(note.service_cents for note in notes)
    console.print(context.catalogue.text("cancel.would", count=len(notes), total=format_brl(cents)))
    if not yes and not is_sum_confirmed(console, context.catalogue, cents, asks="cancel.type_total"):
        console.print(context.catalogue.text("cancel.not_asked"))
        sys.exit(1)


def _carry_out(profile: str, batches: Sequence[int], cancellations: Sequence[int]) -> None:
    """Send the requests to the issuer now. Exit with 1 if one was refused or got no answer. Sweeps follow others."""
    asyncio.run(_ask_issuer(profile, batches))
    with open_context(profile) as context:
        shown = views.views_of(context, context.ledger.read(ledger_cancellations.by_ids, cancellations))
        _show_cancellations(context, shown)
        if any(view.cancellation.ended_at is None for view in shown):
            console.print(context.catalogue.text("cancel.next_reconcile"))
        if any(view.cancellation.outcome in {"refused", "unanswered"} for view in shown):
            sys.exit(1)


async def _ask_issuer(profile: str, batches: Sequence[int]) -> None:
    async with open_runtime(profile, station="cancel") as runtime:
        for each in batches:
            result = await cancel_batch(runtime, each)
            for remark in result.remarks:
                show_alarm(console, runtime.catalogue.say(remark))


def _show_candidates(context: Context, judged: Sequence[Candidate]) -> None:
    words = context.catalogue
    headings = [words.text(f"heading.{name}") for name in ("number", "emitter", "total", "window", "what")]
    rows = [
        (
            views.number_of(each.note),
            each.emitter_name,
            format_brl(each.note.service_cents),
            views.time_left_text(words, each, context.clock()),
            words.text("cancel.can") if each.problem is None else words.say(each.problem),
        )
        for each in judged
    ]
    show_list(console, headings, rows, figures=[False, False, True, False, False])


def _show_cancellations(context: Context, shown: Sequence[CancellationView]) -> None:
    words = context.catalogue
    headings = [
        words.text(f"heading.{name}") for name in ("cancellation", "number", "emitter", "total", "asked_by", "what")
    ]
    rows = [
        (
            str(view.cancellation.id),
            views.number_of(view.note),
            view.emitter_name,
            format_brl(view.note.service_cents),
            f"{view.cancellation.requested_by}: {view.cancellation.reason}",
            views.say_outcome(words, view),
        )
        for view in shown
    ]
    show_list(console, headings, rows, figures=[True, False, False, True, False, False])
