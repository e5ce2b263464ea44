"""Flow: bill what people dropped into the inbox, and answer each file in the outbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from connectors.inbox.drops import Drop
from connectors.ledger.engine import LedgerUnavailable
from connectors.object_store import StoreUnavailable
from domain.problems import SettingsError
from flows.billing import bill
from flows.run_report import failure_page, join_errors
from flows.runner import Runner
from tasks import entries
from tasks.inbox.drops import options_of

_SHARED: Final = (LedgerUnavailable, StoreUnavailable, SettingsError)
"""Errors that the next file would end with as well."""


async def sweep_inbox(runner: Runner, *, profile: str = "local") -> int:
    """Take every complete file and rewrite outdated answers. Return the number of files taken.

    A refused file counts as taken. The sweep may be repeated and killed: a file leaves the inbox for good only after
    the ledger has it, and the same bytes bill nothing twice. A bad file never stops the others; its error is raised at
    the end.
    """
    async with failure_page(runner, profile, "inbox"):
        errors: list[Exception] = []
        with _keep_error(errors):
            entries.report_unread_folders(profile)
        drops = entries.collect_settled_drops(profile)
        for drop in drops:
            with _keep_error(errors):
                await _take(runner, profile, drop)
        for file in entries.stale_answers(profile):
            with _keep_error(errors):
                await runner.run(entries.answer, profile, file)
        if errors:
            raise join_errors(errors)
    return len(drops)


@contextmanager
def _keep_error(errors: list[Exception]) -> Iterator[None]:
    """Keep the error of one file until the end of the sweep. Raise an error that the next file would end with, too."""
    try:
        yield
    except _SHARED:
        raise
    except Exception as error:  # noqa: BLE001 - raised at the end of the sweep
        errors.append(error)


async def _take(runner: Runner, profile: str, drop: Drop) -> None:
    found = await runner.run(entries.claim_and_read, profile, drop)
    if found is None:
        return
    claimed, kind, made = found
    try:
        await bill(runner, profile, str(claimed.path), kind=kind, options=options_of(claimed), made=made)
    finally:
        # Rows in the ledger continue from there. A file that is not in the ledger goes back into the inbox.
        entries.close_drop(profile, claimed, made)
