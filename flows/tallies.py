"""What a run leaves for the dashboard: a page of what it did and what waits for whom, and the preview."""

from collections.abc import Sequence

from prefect.artifacts import acreate_markdown_artifact

from domain.tallies import Tally
from tasks.runtime import open_desk
from tasks.views.board import board_markdown


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
        page = board_markdown(desk, tallies, errors, reading_id=reading_id)
    await show_page(key, page)


async def show_page(key: str, markdown: str) -> None:
    """A page for an operator to decide on."""
    await acreate_markdown_artifact(markdown=markdown, key=key)
