"""What a run leaves for the dashboard: a page of what it did and what waits for whom, and the preview.

A run that fails says why in the operator's words, on its page and in the state that the dashboard shows first.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from prefect.artifacts import acreate_markdown_artifact

from configs.catalogue import Catalogue
from domain.problems import FaturistaError
from domain.tallies import Tally
from tasks.corrections.returned import returned_notes, returned_rows
from tasks.runtime import PLAYGROUND, open_desk, words_anyway
from tasks.views.board import board_markdown, failure_markdown


@asynccontextmanager
async def told(profile: str, key: str) -> AsyncIterator[None]:
    """Around what a flow does before its page: what stops it is told there and raised again, in words."""
    try:
        yield
    except Exception as error:
        words = _words(profile)
        _word(words, error)
        # it may be the orchestrator itself that is away
        with suppress(Exception):
            await show_page(key, failure_markdown(words, error, profile=profile, at=datetime.now(UTC)))
        raise


def gathered(profile: str, errors: Sequence[Exception]) -> Exception:
    """What a run raises in the end that let nothing hold up the rest: one error, or all of them, in words."""
    words = _words(profile)
    for error in errors:
        _word(words, error)
    if len(errors) == 1:
        return errors[0]
    return ExceptionGroup(" ".join(dict.fromkeys(map(str, errors))), errors)


async def show_run(
    profile: str,
    key: str,
    tallies: Sequence[Tally],
    errors: Sequence[Exception] = (),
    *,
    reading_id: int | None = None,
) -> None:
    """The page after a run. `key` is stable, so that the dashboard keeps the versions of a run."""
    with open_desk(profile) as desk:
        returned = returned_notes(desk, tallies) if reading_id is None else returned_rows(desk, reading_id)
        page = board_markdown(desk, tallies, errors, returned=returned, reading_id=reading_id)
    await show_page(key, page)


async def show_page(key: str, markdown: str) -> None:
    """A page for an operator to decide on."""
    await acreate_markdown_artifact(markdown=markdown, key=key)


def _words(profile: str) -> Catalogue:
    return words_anyway(profile, PLAYGROUND)


def _word(words: Catalogue, error: Exception) -> None:
    """The orchestrator shows an error's text to whoever looks at the run; our own hold a code alone."""
    if isinstance(error, FaturistaError):
        error.args = (" ".join(words.explain(error)),)
