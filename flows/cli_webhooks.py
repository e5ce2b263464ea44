"""The commands `webhooks`: receive webhooks, and register, test and remove the receiver at the provider."""

import asyncio
import os
import sys

from cyclopts import App

from connectors.ledger import hints
from domain.competence import BRASILIA
from domain.staff import Permission
from flows.arguments import Profile, console
from flows.authentication import acting_name
from flows.console_table import show_list
from flows.safe_console import show_alarm
from tasks.records.carry_out import Requester
from tasks.records.plans import RecordPlan
from tasks.runtime import open_context, words_of
from tasks.webhooks import registration
from tasks.webhooks.address import receiver_address

_PATIENCE_S = 30.0

webhooks = App(name="webhooks")


@webhooks.command
def serve(*, profile: Profile = "local") -> None:
    """Receive the provider's webhooks and look at those batches sooner."""
    # A separate process: Prefect reads its settings only once, on import.
    module = ["-m", "deployments.receiver", "--profile", profile]
    os.execv(sys.executable, [sys.executable, *module])  # noqa: S606 - no shell, a module of ours


@webhooks.command
def register(*, profile: Profile = "local") -> None:
    """Register the receiver at the provider unless it is registered; it must run, because the provider tests it."""
    _show_outcome(profile, asyncio.run(registration.register(profile, _person(profile, "register"))))


@webhooks.command(name="test")
def try_out(*, profile: Profile = "local") -> None:
    """Let the provider send a test, and report whether it arrived in the ledger."""
    plan, has_arrived = asyncio.run(registration.try_out(profile, _person(profile, "test"), patience_s=_PATIENCE_S))
    if plan.status != "done":
        _show_outcome(profile, plan)
        return
    console.print(words_of(profile).text("webhooks.arrived" if has_arrived else "webhooks.not_arrived"), soft_wrap=True)
    if not has_arrived:
        sys.exit(1)


@webhooks.command
def remove(*, profile: Profile = "local") -> None:
    """Remove the receiver at the provider; invoices are then followed by looking alone."""
    removed = asyncio.run(registration.remove(profile, _person(profile, "remove")))
    for plan in removed:
        _show_outcome(profile, plan)
    if not removed:
        console.print(words_of(profile).text("webhooks.not_registered"), soft_wrap=True)


@webhooks.command
def show(*, profile: Profile = "local") -> None:
    """Show the number of deliveries by outcome, and when the last one arrived."""
    with open_context(profile) as context:
        words, url = context.catalogue, receiver_address(context).url
        deliveries = context.ledger.read(hints.delivery_counts)
        headings = [words.text(f"heading.{name}") for name in ("delivery", "count", "instant")]
        rows = [
            (words.text(f"delivery.{outcome}"), str(count), f"{last_at.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}")
            for outcome, (count, last_at) in sorted(deliveries.items())
        ]
        if rows:
            show_list(console, headings, rows, figures=[False, True, False])
        count = context.ledger.read(hints.count_hints)
        console.print(words.text("webhooks.hints", url=url, count=count), soft_wrap=True)


def _person(profile: str, verb: str) -> Requester:
    with open_context(profile) as context:
        return Requester(acting_name(context, Permission.OPERATE), f"faturista webhooks {verb}")


def _show_outcome(profile: str, plan: RecordPlan) -> None:
    """Show the result of a registration. Exit with code 1 if it was refused or is unknown."""
    words = words_of(profile)
    console.print(words.text(f"webhooks.{plan.verb}_{plan.status}"), soft_wrap=True)
    for problem in plan.problems if plan.status in ("refused", "doubtful") else ():
        show_alarm(console, words.say(problem))
    if plan.status in ("refused", "doubtful"):
        sys.exit(1)
