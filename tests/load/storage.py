"""P18: the bytes that one invoice takes in the ledger, which five years of months are computed from.

Stage some thousand notes whose sheets have few columns. On PostgreSQL measure three times: what a further note takes
after the room of old versions was freed once, as `autovacuum` does it; as the notes left the tables, with the old
versions of their rows; and without any of these (`VACUUM FULL`).
"""

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from connectors.ledger.engine import Ledger
from connectors.ledger.observations.sizes import LedgerSize, ledger_size
from tests.load import growth, stations
from tests.load.responder import running_responder
from tests.load.table import Row

NOTES: Final = 4_000
STEP: Final = 1_000
TARGETS: Final = {"SQLite": 2_050, "PostgreSQL": 3_100}
"""Half of what a note took when its journal had one line for each of its steps."""
FURTHER: Final = 3_900
"""On PostgreSQL, with the room that a vacuum freed: a third more than a note without old versions."""
_SHOWN: Final = 5


def rows(*, notes: int = NOTES, step: int = STEP) -> Iterator[Row]:
    """Measure for about half a minute."""
    with running_responder() as address, stations.ledgers() as ledgers:
        for name, url in ledgers.items():
            before = notes // step // 2
            growth.steps(url, f"{address}/0", before, step)
            if name == "PostgreSQL":
                vacuum(url, "VACUUM")
            half = measured(url)
            growth.steps(url, f"{address}/0", notes // step - before, step, first=before)
            if name == "PostgreSQL":
                whole = measured(url)
                further = (whole.bytes - half.bytes) // (whole.notes - half.notes)
                yield Row("P18", "bytes a further note: PostgreSQL, vacuumed once", further, FURTHER, is_ceiling=True)
                yield judged("PostgreSQL, not vacuumed", whole, None)
                vacuum(url, "VACUUM FULL")
            yield judged(name, measured(url), TARGETS[name])


def judged(what: str, size: LedgerSize, target: int | None) -> Row:
    """Return the result, with the largest tables below it."""
    largest = (f"{table} {size_of // size.notes} B" for table, size_of in size.by_table[:_SHOWN])
    text = f"a note: {', '.join(largest)}"
    return Row("P18", f"bytes a note: {what}", size.bytes_per_note, target, is_ceiling=True, remarks=(text,))


def measured(url: str) -> LedgerSize:
    with Ledger.open(url) as ledger:
        return ledger.read(ledger_size)


def vacuum(url: str, how: str) -> None:
    """Free the room of old versions (`VACUUM`), or rewrite every table without them (`VACUUM FULL`)."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        conn.exec_driver_sql(how)
    engine.dispose()
