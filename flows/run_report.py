"""Publish a run's pages on the dashboard: what it did, what waits for whom, and why it failed."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from configs.catalogue import Catalogue
from configs.language import language_of
from domain.station_result import StationResult
from flows.runner import Runner
from tasks.corrections.returned import returned_notes, returned_rows
from tasks.runtime import open_context
from tasks.views.dashboard import failure_markdown, run_page_markdown


@asynccontextmanager
async def failure_page(runner: Runner, profile: str, key: str) -> AsyncIterator[None]:
    """Publish the reason as page `key` if the block fails. Raise the error again."""
    try:
        yield
    except Exception as error:
        if runner.has_pages:
            words = Catalogue.load(language_of(profile))
            # The dashboard's own server may have failed.
            with suppress(Exception):
                await runner.show(key, failure_markdown(words, error, profile=profile, at=datetime.now(UTC)))
        raise


def join_errors(errors: Sequence[Exception]) -> Exception:
    """Join the errors of several subjects into one error, which the run raises at its end."""
    return errors[0] if len(errors) == 1 else ExceptionGroup("several subjects failed", errors)


async def show_run(
    runner: Runner,
    profile: str,
    key: str,
    results: Sequence[StationResult],
    errors: Sequence[Exception] = (),
    *,
    reading_id: int | None = None,
) -> None:
    """Publish the page of a finished run. `key` is stable, so that the dashboard keeps its versions."""
    if not runner.has_pages:
        return
    with open_context(profile) as context:
        returned = returned_notes(context, results) if reading_id is None else returned_rows(context, reading_id)
        page = run_page_markdown(context, results, errors, returned=returned, reading_id=reading_id)
    await runner.show(key, page)
