"""The commands `status` and `trace`: show the work in progress, and the history of one invoice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from configs.catalogue import Catalogue
from domain.problems import FaturistaError, Problem
from flows import screens
from flows.arguments import Profile, console, parse_id
from flows.safe_console import show_alarm
from tasks.corrections.waiting_rows import waiting_rows
from tasks.issuance.certificate_term import unsent_for_certificate
from tasks.records import histories
from tasks.runtime import open_context
from tasks.views import trace as traces
from tasks.views.dashboard import UNENDED
from tasks.views.status import overview
from tasks.views.who_acts import awaits_approval


def status(*, everything: Annotated[bool, Parameter(name="--all")] = False, profile: Profile = "local") -> None:
    """Show what is open, what waits for whom, what failed and what to do; with --all, the finished batches too."""
    with open_context(profile) as context:
        seen = overview(context, states=None if everything else UNENDED)
        unsent = unsent_for_certificate(context, [view.batch for view in seen.batches])
        seen = replace(seen, notices=(*seen.notices, *unsent, *waiting_rows(context)))
        screens.show_overview(console, context.catalogue, seen)
        if any(awaits_approval(context, view.batch) for view in seen.batches):
            console.print(context.catalogue.text("cli.next_approve"))


def trace(
    *,
    file: str | None = None,
    row: int | None = None,
    sheet: str | None = None,
    rps: str | None = None,
    nfse: str | None = None,
    note: int | None = None,
    provider: bool = False,
    profile: Profile = "local",
) -> None:
    """Follow one invoice from its cell to the city's number and back; with --provider, add the provider's history."""
    with open_context(profile) as context:
        if file is not None and row is not None:
            stories = traces.trace_row(context, file=file, sheet=sheet, row_number=row)
        elif rps is not None:
            serie, _, number = rps.rpartition("-")
            stories = traces.trace_number(context, serie=serie, number=parse_id(number))
        elif nfse is not None:
            stories = traces.trace_nfse(context, nfse_number=nfse)
        elif note is not None:
            stories = traces.trace_remote(context, remote_id=note)
        else:
            raise FaturistaError(Problem("trace.nothing_named"))
        for story in stories:
            screens.show_story(console, context.catalogue, story)
        if provider:
            invoices = [invoice for story in stories for invoice in story.invoices]
            _show_histories(context.catalogue, asyncio.run(histories.provider_histories(profile, invoices)))


def _show_histories(words: Catalogue, found: Sequence[histories.ProviderHistory]) -> None:
    for history in found:
        console.print(words.text(f"trace.provider_{history.what}", id=history.remote_id), style="bold")
        for entry in history.entries:
            fields = {name: entry.values.get(name, "–") for name in ("date", "from_status", "to_status")}
            console.print(f"  {words.text('trace.provider_step', **fields)}", markup=False)
        if history.problem is not None:
            show_alarm(console, words.say(history.problem))
