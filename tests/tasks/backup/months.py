"""A month that was billed and closed, years ago by the clock of whoever detaches it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from connectors.ledger import batches, closings, tables
from connectors.ledger.backup.seals import seal_journal
from connectors.ledger.detached.detach import detach_month
from tasks.backup.detaching import detach, plan_detaching
from tasks.runtime import Context, open_context
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tasks.views.detached import folder_of
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import line, this_month
from tests.tasks.scenes import scene
from tests.tasks.workshop import PROFILE, Workshop

LATER: Final = timedelta(days=7 * 366)
"""Past the term of every invoice that a test makes."""
_SHEET: Final = "mes.csv"


@contextmanager
def years_later(shop: Workshop) -> Iterator[Context]:
    with shop.context(ahead=LATER) as context:
        yield context


def dropped(shop: Workshop, path: Path) -> tuple[int, dict[str, int]]:
    """Read a sheet and assemble its invoices. Return the reading and the counts of its rows."""
    with shop.context() as context:
        reading, result = read_file(context, archive_file(context, path), ReadingOptions(operator="Ana"))
    shop.run(resolve_rows, reading)
    shop.run(assemble_rows, reading)
    return reading, dict(result.counts)


def billed_sheet(shop: Workshop, count: int = 3) -> Path:
    """Issue every row of a sheet of this month."""
    _issue_sheet(shop, count)
    return shop.home / _SHEET


@scene
def _issue_sheet(shop: Workshop, count: int) -> None:
    path = write_sheet(shop.home / _SHEET, [cells(number) for number in range(1, count + 1)])
    reading, _ = dropped(shop, path)
    (batch,) = (each.id for each in shop.read(batches.batches_where, reading_id=reading))
    shop.run(stage_batch, batch)
    shop.approve()
    shop.run(release_batch, batch)
    shop.follow(batch)


def closed(shop: Workshop) -> None:
    """Seal the journal, close this month, and let the journal go on."""
    with shop.context() as context:
        seal_journal(context.ledger)
    assert shop.write(closings.close, this_month(), person="Ana") is not None
    shop.reading(line(900))


def detached(shop: Workshop) -> list[Path]:
    """Detach everything past its term. Return the files."""
    with years_later(shop) as context:
        plan = plan_detaching(context)
        return [path for _, path in detach(context, plan, person="Olga") if path is not None]


def detach_here() -> None:
    """Detach this month in a process of its own, which a test may kill."""
    with open_context(PROFILE) as context:
        detach_month(context.ledger, this_month(), folder_of(context), by="Olga")


def content(shop: Workshop) -> tuple[int, int, int, int]:
    """Return how many invoices have a text, rows with cells, requests and lines of the journal there are."""

    def read(conn: sa.Connection) -> tuple[int, int, int, int]:
        written, has_cells = tables.invoices.c.content != "{}", sa.cast(tables.rows.c.cells, sa.Text) != "{}"
        asked = (
            sa.select(sa.func.count()).select_from(tables.invoices).where(written),
            sa.select(sa.func.count()).select_from(tables.rows).where(has_cells),
            sa.select(sa.func.count()).select_from(tables.attempts),
            sa.select(sa.func.count()).select_from(tables.events),
        )
        found = [int(conn.execute(each).scalar_one()) for each in asked]
        return found[0], found[1], found[2], found[3]

    return shop.read(read)
