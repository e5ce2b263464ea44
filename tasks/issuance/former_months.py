"""The months in which a corrected row was before: a row that moved to another month is still the same charge."""

from collections.abc import Iterable
from datetime import date

from connectors.ledger.rows import RowRecord
from domain.competence import parse_competence
from tasks.issuance.former_rows import FormerRow, former_rows
from tasks.runtime import Runtime


async def former_months(runtime: Runtime, records: Iterable[RowRecord]) -> dict[int, frozenset[date]]:
    """Return by id of each corrected row the other months in which its charge was before."""
    corrected = [record for record in records if record.follows_id is not None]
    own = {record.id: _month_of(FormerRow(record, {})) for record in corrected}
    former = await former_rows(runtime, corrected)
    found = {row_id: frozenset(filter(None, map(_month_of, rows))) - {own[row_id]} for row_id, rows in former.items()}
    return {row_id: others for row_id, others in found.items() if others}


def _month_of(former: FormerRow) -> date | None:
    """Return the month of a row, or of the cell of a row that was refused before it was typed."""
    typed = (former.row.line or {}).get("competence")
    if typed is not None:
        return date.fromisoformat(typed)
    texts = [*former.texts_of("competence"), former.row.run_competence or ""]
    return next((month for text in texts if (month := parse_competence(text)) is not None), None)
