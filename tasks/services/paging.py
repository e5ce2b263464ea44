"""Read the rows of a reading in parts: memory use does not grow with the file."""

from collections.abc import AsyncIterator
from typing import Final

from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowRecord
from domain.states import RowState
from tasks.runtime import Context

PART: Final = 2_000
"""The most rows in memory at once."""


async def in_parts(context: Context, reading_id: int, state: RowState) -> AsyncIterator[list[RowRecord]]:
    """Yield the reading's rows in this state, ordered by id, without `cells`.

    The caller may change the state of a part's rows before it takes the next part.
    """
    after = 0
    while part := await context.ledger.read_async(ledger_rows.lines_of, reading_id, state, after=after, limit=PART):
        yield part
        after = part[-1].id
