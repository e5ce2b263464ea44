"""The project's own audit at the end of a story: replay its journal and explain every number.

It is no independent evidence, because the project itself is judged; but its answers must be true after every fault.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from connectors.ledger.backup.audits import numbers_of, series_of
from connectors.ledger.backup.verify import verify
from connectors.ledger.engine import Ledger
from domain.number_audit import Absence, Explanation, gaps_in


def audit_faults(url: str) -> list[str]:
    """Return the differences between the ledger at `url` and its journal, and the numbers that it cannot explain."""
    with Ledger.open(url, migrate=False) as ledger:
        return [str(problem) for problem in ledger.read(verify).problems] + ledger.read(_unexplained)


def _unexplained(conn: sa.Connection) -> list[str]:
    return list(_messages(conn))


def _messages(conn: sa.Connection) -> Iterator[str]:
    for serie in series_of(conn):
        lines = numbers_of(conn, serie.emitter_id, serie.serie)
        for line in lines:
            has_no_reason = line.explanation in {Explanation.RETIRED, Explanation.REPLACED} and not line.because
            if line.explanation is Explanation.UNEXPLAINED or has_no_reason:
                yield f"nobody can say what became of the number {line.number} ({line.state})"
        gaps = gaps_in([line.number for line in lines], first=serie.first_number, following=serie.next_number)
        for gap in gaps:
            if gap.why is Absence.OPEN:
                yield f"the numbers {gap.first} to {gap.last} were given to nobody"
