"""The stations as Prefect tasks. A face takes a profile's name and ids, opens what the station needs, and returns
its tally; it holds no branch and no loop, and nothing else in the stations knows of Prefect.
"""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.runtime import task_run
from prefect.tasks import Task

from connectors.ledger.engine import LedgerUnavailable
from connectors.spreadsheets.drops import Drop
from domain.tallies import Tally
from tasks import sweep
from tasks.approve import approve_automatically
from tasks.assemble import assemble_rows
from tasks.corrections import workbook as corrections
from tasks.discard import discard_batch
from tasks.inbox import answer as answers
from tasks.inbox import deep
from tasks.inbox import take as takes
from tasks.intake import take_file
from tasks.keeping.comparing import compare_restored
from tasks.orders import reports, sync
from tasks.preview.forms import preview_markdown
from tasks.read import ReadingOptions, read_file
from tasks.reconcile import reconcile_batch, recount_batch
from tasks.release import release_batch
from tasks.resolve import resolve_rows
from tasks.resume import resume_reading
from tasks.runtime import open_desk, open_orders, open_runtime
from tasks.stage import stage_batches
from tasks.sweep import Station, due_batches, stalled_readings, unstaged_batches
from tasks.views.stuck import escalate_stuck

PAUSE_S = 0.5
"""Seconds between two sweeps of a run that goes on until it is done."""


def is_lost_machine(_task: Task[Any, Any], _run: TaskRun, state: State[Any]) -> bool:
    """Prefect repeats a task only when the database went away: the station takes its lease anew and goes on.

    Whatever the provider does is decided by the session and the ledger, so that two retries never multiply.
    """
    # its data is the exception itself; `result()` would be a coroutine where the task is one
    return isinstance(state.data, LedgerUnavailable)


@task(name="intake", task_run_name="intake {path}", cache_policy=NO_CACHE)
def intake(profile: str, path: str, kind: str) -> int:
    """Station 1; the file's id."""
    with open_desk(profile) as desk:
        return take_file(desk, Path(path), kind=kind)


@task(name="read", task_run_name="read file {file}", cache_policy=NO_CACHE)
def read(profile: str, file: int, options: ReadingOptions, made: int | None = None) -> tuple[int, Tally]:
    """Station 2; the reading's id and its tally."""
    with open_desk(profile) as desk:
        return read_file(desk, file, options, made=made)


@task(name="resolve", task_run_name="resolve reading {reading}", cache_policy=NO_CACHE)
async def resolve(profile: str, reading: int) -> Tally:
    """Station 3."""
    async with open_runtime(profile, station="resolve") as runtime:
        return await resolve_rows(runtime, reading)


@task(name="assemble", task_run_name="assemble reading {reading}", cache_policy=NO_CACHE)
async def assemble(profile: str, reading: int) -> Tally:
    """Station 4."""
    async with open_runtime(profile, station="assemble") as runtime:
        return await assemble_rows(runtime, reading)


@task(name="resume", task_run_name="resume reading {reading}", cache_policy=NO_CACHE)
async def resume(profile: str, reading: int) -> Tally:
    """Stations 3 and 4 for a reading that stopped on the way."""
    async with open_runtime(profile, station="resume") as runtime:
        return await resume_reading(runtime, reading)


@task(name="preview", task_run_name="preview reading {reading}", cache_policy=NO_CACHE)
async def preview(profile: str, reading: int) -> str:
    """What an operator decides on, as markdown."""
    with open_desk(profile) as desk:
        return await preview_markdown(desk, reading)


def _range_of(batches: Sequence[int]) -> str:
    return f"batch {batches[0]}" if len(batches) == 1 else f"{len(batches)} batches from {batches[0]} on"


def _staged_name() -> str:
    return f"stage {_range_of(task_run.parameters['batches'])}"


@task(
    name="stage",
    task_run_name=_staged_name,
    retries=2,
    retry_delay_seconds=5,
    retry_condition_fn=is_lost_machine,
    cache_policy=NO_CACHE,
)
async def stage(profile: str, batches: Sequence[int]) -> list[Tally]:
    """Station 5, for several batches beside one another."""
    async with open_runtime(profile, station="stage") as runtime:
        return await stage_batches(runtime, batches)


@task(name="approve", task_run_name="approve as the profile says", cache_policy=NO_CACHE)
def approve(profile: str, reading: int | None = None) -> int:
    """How many batches the profile approved by itself."""
    with open_desk(profile) as desk:
        return len(approve_automatically(desk, reading))


@task(name="write back", task_run_name="write back what failed in reading {reading}", cache_policy=NO_CACHE)
def write_back(profile: str, reading: int) -> str | None:
    """Where the failing rows of a reading's file are, to be corrected; None where there are none."""
    with open_desk(profile) as desk:
        return corrections.write_reading_back(desk, reading)


@task(
    name="release",
    task_run_name="release batch {batch}",
    retries=2,
    retry_delay_seconds=5,
    retry_condition_fn=is_lost_machine,
    cache_policy=NO_CACHE,
)
async def release(profile: str, batch: int) -> Tally:
    """Station 6."""
    async with open_runtime(profile, station="release") as runtime:
        return await release_batch(runtime, batch)


@task(
    name="reconcile",
    task_run_name="reconcile batch {batch}",
    retries=2,
    retry_delay_seconds=5,
    retry_condition_fn=is_lost_machine,
    cache_policy=NO_CACHE,
)
async def reconcile(profile: str, batch: int) -> Tally:
    """Station 7."""
    async with open_runtime(profile, station="reconcile") as runtime:
        return await reconcile_batch(runtime, batch)


@task(name="discard", task_run_name="discard batch {batch}", cache_policy=NO_CACHE)
async def discard(profile: str, batch: int) -> Tally:
    """Take back the notes of a batch that a person gave up."""
    async with open_runtime(profile, station="discard") as runtime:
        return await discard_batch(runtime, batch)


@task(name="recount", task_run_name="recount batch {batch}", cache_policy=NO_CACHE)
async def recount(profile: str, batch: int) -> Tally:
    """A closed batch, counted once a day."""
    async with open_runtime(profile, station="recount") as runtime:
        return await recount_batch(runtime, batch)


@task(
    name="mirror paid invoices",
    task_run_name="mirror paid invoices of {plan}",
    retries=2,
    retry_delay_seconds=5,
    retry_condition_fn=is_lost_machine,
    cache_policy=NO_CACHE,
)
async def mirror_paid(profile: str, plan: str, since: datetime) -> Tally:
    """What the plan was paid since then, in the mirror."""
    async with open_orders(profile) as runtime:
        return await sync.mirror_paid_invoices(runtime, plan, since=since)


@task(
    name="mirror orders",
    task_run_name="mirror orders of {plan}",
    retries=2,
    retry_delay_seconds=5,
    retry_condition_fn=is_lost_machine,
    cache_policy=NO_CACHE,
)
async def mirror_orders(profile: str, plan: str) -> Tally:
    """The plan's orders, in the mirror."""
    async with open_orders(profile) as runtime:
        return await sync.mirror_orders(runtime, plan)


@task(name="report paid invoices", task_run_name="report paid invoices", cache_policy=NO_CACHE)
def write_paid(profile: str, plans: Sequence[str], since: datetime, *, is_csv: bool) -> str:
    """Where the report was written."""
    with open_desk(profile) as desk:
        return str(reports.report_paid_invoices(desk, plans, since=since, is_csv=is_csv))


@task(name="report orders", task_run_name="report orders", cache_policy=NO_CACHE)
def write_orders(profile: str, plans: Sequence[str], *, is_csv: bool) -> str:
    """Where the report was written."""
    with open_desk(profile) as desk:
        return str(reports.report_orders(desk, plans, is_csv=is_csv))


@task(name="answer", task_run_name="answer file {file}", cache_policy=NO_CACHE)
def answer(profile: str, file: int) -> str:
    """Where a file's outcome was written."""
    with open_desk(profile) as desk:
        return str(answers.answer_file(desk, file))


@task(name="sort", task_run_name="sort a dropped file", cache_policy=NO_CACHE)
def sort_drop(profile: str, drop: Drop) -> tuple[str, int] | None:
    """The kind of a dropped file and its reading; None where it went back."""
    with open_desk(profile) as desk:
        return takes.sort_drop(desk, drop)


def close_drop(profile: str, drop: Drop) -> None:
    """Answer a dropped file and put it away."""
    with open_desk(profile) as desk:
        answers.close_drop(desk, drop)


def settled_drops(profile: str) -> list[Drop]:
    """Dropped files that are complete."""
    with open_desk(profile) as desk:
        return takes.settled_drops(desk)


def say_unread(profile: str) -> int:
    """How many folders of the inbox lie too deep, and nobody was told yet; they are now."""
    with open_desk(profile) as desk:
        return len(deep.say_unread(desk))


def stale_answers(profile: str) -> list[int]:
    """Dropped files with news."""
    with open_desk(profile) as desk:
        return answers.stale_answers(desk)


def plans(profile: str, named: Sequence[str]) -> tuple[str, ...]:
    """The plans that a report covers."""
    with open_desk(profile) as desk:
        return reports.wanted_plans(desk, named)


def window(profile: str, since: date | None) -> datetime:
    """The first instant that a report covers."""
    with open_desk(profile) as desk:
        return reports.window_start(desk, since)


@task(name="compare", task_run_name="compare the restored ledger", cache_policy=NO_CACHE)
async def compare(profile: str, _restoration: int) -> Tally:
    """A restored ledger against the provider; freed when nothing is left unexplained."""
    async with open_runtime(profile, station="compare") as runtime:
        return await compare_restored(runtime)


def escalate(profile: str) -> int:
    """How many batches are under way for so long that a person should know."""
    with open_desk(profile) as desk:
        return escalate_stuck(desk)


def restored(profile: str) -> list[int]:
    """The restoration that waits to be compared with the provider, if there is one."""
    with open_desk(profile) as desk:
        return sweep.waiting_restorations(desk)


def unstaged(profile: str, reading: int) -> list[int]:
    """Batches of a reading that still have to be staged."""
    with open_desk(profile) as desk:
        return unstaged_batches(desk, reading)


def stalled(profile: str) -> list[int]:
    """Readings whose import stopped on the way."""
    with open_desk(profile) as desk:
        return stalled_readings(desk)


def due(profile: str, station: Station) -> list[int]:
    """Batches that a station has to look at now."""
    with open_desk(profile) as desk:
        return due_batches(desk, station)


def has_unfinished(profile: str) -> bool:
    """Whether any batch can still go on without a person."""
    with open_desk(profile) as desk:
        return sweep.has_unfinished(desk)
