"""What a run leaves for the dashboard: its tallies as a table, its preview as a page."""

from collections.abc import Sequence

from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact

from domain.tallies import Tally


async def show_tallies(key: str, tallies: Sequence[Tally]) -> None:
    """One line per station and subject. `key` is stable, so that the dashboard keeps the versions of a run."""
    rows = [
        {
            "station": tally.station,
            "subject": tally.subject,
            "ending": tally.ending.value,
            "counts": ", ".join(f"{word} {count}" for word, count in tally.counts.items()),
            "remarks": ", ".join(problem.code for problem in tally.remarks),
        }
        for tally in tallies
    ]
    await acreate_table_artifact(table=rows, key=key, description="What each station did.")


async def show_page(key: str, markdown: str) -> None:
    """A page for an operator to decide on."""
    await acreate_markdown_artifact(markdown=markdown, key=key)
