"""Entry of every station: take a profile's name and ids, open what the station needs, return its result.

A flow calls these functions, either directly or as Prefect tasks; they do not import Prefect. The `async` functions do
a station's work and can run as tasks. The other functions are short queries and small writes.
"""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from connectors.inbox.drops import Drop
from domain.problems import SettingsError
from domain.station_result import StationResult
from tasks.alerts import runs
from tasks.backup.copies import back_up_nightly
from tasks.backup.restore_check import compare_restored
from tasks.cancellations.cancel import cancel_batch
from tasks.closing.checklist import month_page
from tasks.contracts.charge_sheets import gather_due
from tasks.corrections import workbook as corrections
from tasks.corrections.waiting_rows import waiting_rows
from tasks.documents.fetch import due_batches as undocumented_batches
from tasks.documents.fetch import fetch_batch
from tasks.inbox import answer as answers
from tasks.inbox import deep_folders, drops
from tasks.issuance.concurrent_batches import run_batches
from tasks.issuance.discard import discard_batch
from tasks.preview.stored_forecast import preview_markdown
from tasks.replacements.settle import settle_replaced
from tasks.runtime import open_context, open_runtime, settings_of
from tasks.sheets.offered_files import find_offered, offered_names
from tasks.stations.approve import approve_automatically
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tasks.stations.retry import retriable as retriable_invoices
from tasks.stations.retry import retry_reading
from tasks.stations.stage import stage_batches
from tasks.views import due_work as sweep
from tasks.views import names, waiting
from tasks.views.due_work import (
    Shard,
    SharedStation,
    Station,
    due_batches,
    readings_of_batches,
    shards_of,
    stalled_readings,
    unstaged_batches,
)
from tasks.views.markdown import markdown
from tasks.views.overview_page import overview_markdown
from tasks.views.slow_batches import escalate_stuck
from tasks.views.waiting import RemainingWork

BATCHES_AT_ONCE: Final = 8
"""Number of batches that one run of `release` or `reconcile` works on at a time."""
PAUSE_S = 0.5
"""Seconds between two sweeps of a run that continues until it is done."""


async def intake(profile: str, path: str, kind: str) -> int:
    """Archive a file, given by its path or by the name that a form offered. Return the file's id."""
    with open_context(profile) as context:
        return archive_file(context, find_offered(context, Path(path)), kind=kind)


async def read(profile: str, file: int, options: ReadingOptions, made: int | None = None) -> tuple[int, StationResult]:
    """Read a file's rows. Return the reading's id and its result. `made` is that of `read_file`."""
    with open_context(profile) as context:
        return read_file(context, file, options, made=made)


async def gather(profile: str, competence: date | None, *, is_catching_up: bool, is_by_clock: bool) -> list[int]:
    """Write the charges of contracts that are due into sheets. Return the ids of the files."""
    with open_context(profile) as context:
        return gather_due(context, competence=competence, is_catching_up=is_catching_up, is_by_clock=is_by_clock)


async def close_month(profile: str) -> list[str]:
    """Close the previous month if the profile requires it and nothing is open. Return the paths of its reports."""
    from tasks.closing.close import close_last_month  # noqa: PLC0415 - loads the library of frames, half a second

    with open_context(profile) as context:
        return close_last_month(context)


async def resolve(profile: str, reading: int) -> StationResult:
    """Find emitters, templates and takers of a reading's rows."""
    async with open_runtime(profile, station="resolve") as runtime:
        return await resolve_rows(runtime, reading)


async def assemble(profile: str, reading: int) -> StationResult:
    """Make invoices and batches from a reading's rows."""
    async with open_runtime(profile, station="assemble") as runtime:
        return await assemble_rows(runtime, reading)


async def resume(profile: str, reading: int) -> StationResult:
    """Continue a reading that stopped before its end: resolve and assemble its rows."""
    async with open_runtime(profile, station="resume") as runtime:
        return await resume_reading(runtime, reading)


async def retry(profile: str, reading: int) -> StationResult:
    """Draft invoices again that a city rejected although nothing in them is wrong."""
    async with open_runtime(profile, station="retry") as runtime:
        return await retry_reading(runtime, reading)


async def preview(profile: str, reading: int) -> str:
    """Return the page from which an operator decides about a reading's batches, as Markdown."""
    with open_context(profile) as context:
        return await preview_markdown(context, reading)


async def show_month(profile: str, competence: date | None) -> str:
    """Return the checklist of a month, as Markdown."""
    with open_context(profile) as context:
        return markdown(month_page(context, competence))


async def stage(profile: str, batches: Sequence[int]) -> list[StationResult]:
    """Stage several batches concurrently."""
    async with open_runtime(profile, station="stage") as runtime:
        return await stage_batches(runtime, batches)


async def approve(profile: str, reading: int | None = None) -> int:
    """Approve the batches that the profile approves automatically. Return their number."""
    with open_context(profile) as context:
        return len(approve_automatically(context, reading))


async def write_back(profile: str, reading: int) -> str | None:
    """Write the correction workbook of a reading's file. Return its path, or None if it would have no rows."""
    with open_context(profile) as context:
        return corrections.write_reading_back(context, reading)


async def release(profile: str, batches: Sequence[int]) -> list[StationResult]:
    """Send approved batches, a few at once."""
    async with open_runtime(profile, station="release") as runtime:
        return await run_batches(batches, partial(release_batch, runtime), at_once=BATCHES_AT_ONCE)


async def reconcile(profile: str, batches: Sequence[int]) -> list[StationResult]:
    """Look up the states of sent batches, a few at once."""
    async with open_runtime(profile, station="reconcile") as runtime:
        return await run_batches(batches, partial(reconcile_batch, runtime), at_once=BATCHES_AT_ONCE)


async def cancel(profile: str, batch: int) -> StationResult:
    """Request the approved cancellations of a batch's invoices from the issuer, or look up their results."""
    async with open_runtime(profile, station="cancel") as runtime:
        return await cancel_batch(runtime, batch)


async def replace(profile: str, batch: int) -> StationResult:
    """Check whether the issuer has cancelled the replaced invoices of a batch. Their successors are accepted."""
    async with open_runtime(profile, station="replace") as runtime:
        return await settle_replaced(runtime, batch)


async def discard(profile: str, batch: int) -> StationResult:
    """Delete the unsent invoices of a discarded batch at the issuer."""
    async with open_runtime(profile, station="discard") as runtime:
        return await discard_batch(runtime, batch)


async def documents(profile: str, batch: int) -> StationResult:
    """Fetch the documents of a batch's invoices."""
    async with open_runtime(profile, station="documents") as runtime:
        return await fetch_batch(runtime, batch)


async def recount(profile: str, batch: int) -> StationResult:
    """Check at the issuer whether somebody changed a finished batch."""
    async with open_runtime(profile, station="recount") as runtime:
        return await recheck_batch(runtime, batch)


async def answer(profile: str, file: int) -> str:
    """Write the answer to a dropped file again. Return its path, empty if another process wrote it just now."""
    with open_context(profile) as context:
        return answers.renew_answer(context, file)


async def claim_and_read(profile: str, drop: Drop) -> tuple[Drop, str, int] | None:
    """Claim and read a dropped file. Return it, its kind and its reading; None if it went to the outbox, refused."""
    with open_context(profile) as context:
        return drops.claim_and_read(context, drop)


def close_drop(profile: str, drop: Drop, reading: int) -> None:
    """Answer a dropped file and remove it from the inbox."""
    with open_context(profile) as context:
        answers.close_drop(context, drop, reading)


def collect_settled_drops(profile: str) -> list[Drop]:
    """Return complete dropped files, and first move back those that a killed sweep had claimed."""
    with open_context(profile) as context:
        return drops.collect_settled_drops(context)


def report_unread_folders(profile: str) -> int:
    """Write a note for each inbox folder that is too deep to be read, once. Return the number of new notes."""
    with open_context(profile) as context:
        return len(deep_folders.report_unread_folders(context))


def stale_answers(profile: str) -> list[int]:
    """Return ids of dropped files whose answer is out of date."""
    with open_context(profile) as context:
        return answers.stale_answers(context)


async def compare(profile: str, _restoration: int) -> StationResult:
    """Compare a restored ledger with the provider. Let it issue again if every difference is explained."""
    async with open_runtime(profile, station="compare") as runtime:
        return await compare_restored(runtime)


def escalate(profile: str) -> int:
    """Open incidents for batches that take too long. Return the number of such batches."""
    with open_context(profile) as context:
        return escalate_stuck(context)


def restorations_to_compare(profile: str) -> list[int]:
    """Return the restoration that waits for its comparison with the provider, if any."""
    with open_context(profile) as context:
        return sweep.waiting_restorations(context)


def stalled_imports(profile: str) -> list[int]:
    """Return readings whose import stopped before its end."""
    with open_context(profile) as context:
        return stalled_readings(context)


def retriable_imports(profile: str) -> list[int]:
    """Return readings with rejected invoices that may be sent again automatically."""
    with open_context(profile) as context:
        return sorted(retriable_invoices(context))


def batches_to_document(profile: str) -> list[int]:
    """Return batches whose documents are due for automatic fetching."""
    with open_context(profile) as context:
        return undocumented_batches(context)


def batches_due(profile: str, station: Station) -> list[int]:
    """Return batches that are due at a station."""
    with open_context(profile) as context:
        return due_batches(context, station)


def due_shards(profile: str, station: SharedStation) -> list[Shard]:
    """Return the batches that are due at a station, in shards."""
    with open_context(profile) as context:
        return shards_of(context, station, due_batches(context, station))


def unstaged_shards(profile: str, reading: int) -> list[Shard]:
    """Return a reading's batches that are not staged yet, due or not, in shards."""
    with open_context(profile) as context:
        return shards_of(context, "stage", unstaged_batches(context, reading))


def due_among(profile: str, station: SharedStation, batches: Sequence[int]) -> list[int]:
    """Return those of these batches that are due at a station."""
    with open_context(profile) as context:
        return due_batches(context, station, among=batches)


def readings_of(profile: str, batches: Sequence[int]) -> list[int]:
    """Return the ids of the readings that these batches (ids) belong to, each once, oldest first."""
    with open_context(profile) as context:
        return readings_of_batches(context, batches)


def remaining_work(profile: str) -> RemainingWork:
    """Return the remaining work, and when a batch can continue without a person."""
    with open_context(profile) as context:
        return waiting.remaining_work(context)


def log_level(profile: str) -> str:
    """Return the lowest level that a worker logs; "info" if the settings cannot be read."""
    try:
        return settings_of(profile).logs.level
    except SettingsError:
        return "info"


def offered_files(profile: str, kind: str) -> list[str]:
    """Return the file names that a form offers: files of the inbox, then the newest earlier files of this kind."""
    with open_context(profile) as context:
        return offered_names(context, kind)


def situation(profile: str) -> str:
    """Return the overview page of the whole ledger, as Markdown."""
    with open_context(profile) as context:
        return overview_markdown(context, list(waiting_rows(context)))


def record_failure(profile: str, flow: str, error: BaseException) -> None:
    """Open the alert of a flow whose run failed. It stays open until a run of the flow succeeds."""
    with open_context(profile) as context:
        runs.record_failure(context, flow, error)


def record_end(profile: str, flow: str) -> None:
    """Close the alert of a flow whose run succeeded."""
    with open_context(profile) as context:
        runs.record_end(context, flow)


def file_name(profile: str, file: int) -> str:
    """Return the name under which a file was dropped."""
    with open_context(profile) as context:
        return names.file_name(context, file)


def reading_name(profile: str, reading: int) -> str:
    """Return the name of the file that a reading read."""
    with open_context(profile) as context:
        return names.reading_name(context, reading)


def batch_name(profile: str, batch: int) -> str:
    """Return a text with a batch's id, emitter and month."""
    with open_context(profile) as context:
        return names.batch_name(context, batch)


async def back_up(profile: str) -> str:
    """Make the nightly backup of the ledger and delete old ones. Return its path."""
    with open_context(profile) as context:
        return str(back_up_nightly(context))


REPEATABLE: Final = frozenset({stage, release, reconcile, cancel, replace})
"""Stations that a runner repeats if the ledger is unavailable: each takes a new lease and continues.

The HTTP session and the ledger decide about all other retries, so that two retry loops never multiply.
"""
REPEATS: Final = 2
REPEAT_DELAY_S: Final = 5
