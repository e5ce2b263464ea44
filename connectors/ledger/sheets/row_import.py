"""Store a reading in parts, so that other writers wait briefly. It becomes valid as a whole or not at all.

Until the reading is finished, no query uses its rows, and the database refuses to move them. An interrupted reading
stays unfinished for ever, and the file gets a new reading.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import files, tables, transitions
from connectors.ledger.database.sql import Statement, is_in, load_many, param
from connectors.ledger.engine import Ledger
from connectors.ledger.rows import LOCATION, PackedRow, PackedRows, RowLocation
from connectors.process_names import process_name
from domain.problems import FaturistaError, Problem
from domain.states import RowState

_t = tables.rows
_REFUSED: Final = str(RowState.REFUSED)
_PART: Final = 5_000


class ReadMeanwhile(FaturistaError):
    """Another process finished reading this file after our reading began, so our reading is invalid."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A reading in progress, and the number of finished readings of its file when it began."""

    reading_id: int
    whole: int


def store_reading(
    ledger: Ledger,
    file_id: int,
    *,
    operator: str,
    options: Mapping[str, Any],
    understood: Mapping[str, Any],
    news: Iterable[PackedRow],
    after: int | None = None,
) -> int:
    """Store a reading with all its rows, and finish it. Return its id. `news` is consumed lazily.

    Raises `ReadMeanwhile` if another process finished reading the file meanwhile, or if the file's newest reading is
    not `after` (None: any): the caller must start again.
    """

    def begin(conn: sa.Connection) -> _Begun:
        whole = files.count_and_lock_readings(conn, file_id)
        newest = files.last_reading(conn, file_id)
        if after is not None and (newest is None or newest.id != after):
            raise ReadMeanwhile(
                Problem("file.read_meanwhile", params={"name": files.file_of_reading(conn, after).name})
            )
        return _Begun(files.begin_reading(conn, file_id, operator=operator, options=options), whole)

    def store(conn: sa.Connection, begun: _Begun | None, part: PackedRows, *, is_last: bool) -> _Begun:
        begun = begun or begin(conn)
        add_packed(conn, begun.reading_id, part)
        files.record_heartbeat(conn, begun.reading_id, worker=process_name())
        if is_last:
            if files.count_and_lock_readings(conn, file_id) != begun.whole:
                raise _read_meanwhile(conn, begun.reading_id)
            files.end_reading(conn, begun.reading_id, understood)
        return begun

    # Not in a thread beside the parsing: both need the interpreter lock, and together they took a sixth more time.
    begun: _Begun | None = None
    for part, is_last in _parts(news):
        begun = ledger.write(store, begun, part, is_last=is_last)
    assert begun is not None
    return begun.reading_id


def _read_meanwhile(conn: sa.Connection, reading_id: int) -> ReadMeanwhile:
    name = files.file_of_reading(conn, reading_id).name
    return ReadMeanwhile(Problem("file.read_meanwhile", params={"name": name}))


def add_packed(conn: sa.Connection, reading_id: int, news: PackedRows) -> int:
    """Add a chunk of rows (a few thousand at most) to an unfinished reading. Return their number.

    Every row starts as `read` or `refused`. Raises `ValueError` for a finished reading, and the driver's integrity
    error if the reading already has the sheet and number of a row.
    """
    reading = files.reading_of(conn, reading_id)
    if reading.finished_at is not None:
        raise ValueError("a finished reading gets no more rows")
    origins = _origins(conn, reading.file_id, news)
    last = _last(conn).scalar_one()
    load_many(
        conn,
        _t,
        {
            **news.columns,
            "file_id": reading.file_id,
            "reading_id": reading.id,
            "origin_id": [origins.get(new.location) for new in news] if origins else None,
        },
    )
    _added(conn, state=RowState.READ, because="read", reading_id=reading.id, after=last)
    if _REFUSED in news.columns["state"]:
        _added(conn, state=RowState.REFUSED, because="read with problems", reading_id=reading.id, after=last)
    return len(news)


def _parts(news: Iterable[PackedRow]) -> Iterator[tuple[PackedRows, bool]]:
    """Yield the rows in parts, each with whether it is the last. Without rows, yield one empty part."""
    coming = iter(news)
    part = PackedRows(islice(coming, _PART))
    while following := PackedRows(islice(coming, _PART)):
        yield part, False
        part = following
    yield part, True


def _origins(conn: sa.Connection, file_id: int, news: PackedRows) -> dict[RowLocation, int]:
    """Return the origin of new rows by location.

    It is that of the row that the new row corrects, else that of an earlier reading's row at the same location.
    """
    origin = sa.func.coalesce(_t.c.origin_id, _t.c.id)
    whole = list(conn.execute(files.finished_readings_query(file_id)).scalars())
    found: dict[RowLocation, int] = {}
    if whole:
        earlier = sa.select(*LOCATION, origin).where(
            is_in(conn, _t.c.reading_id, whole),
            is_in(conn, _t.c.sheet, set(news.columns["sheet"])),
            is_in(conn, _t.c.row_number, set(news.columns["row_number"])),
        )
        found = {RowLocation(*row[:-1]): row[-1] for row in conn.execute(earlier.order_by(_t.c.id.desc()))}
    followed = set(news.columns["follows_id"]) - {None}
    if followed:
        query = sa.select(_t.c.id, origin).where(is_in(conn, _t.c.id, followed))
        by_id = {row[0]: row[1] for row in conn.execute(query)}
        found |= {new.location: by_id[new.follows_id] for new in news if new.follows_id is not None}
    return found


@Statement
def _last(_conn: sa.Connection) -> sa.Select[tuple[int]]:
    """Return the query for the highest row id; rows inserted later have higher ones."""
    return sa.select(sa.func.coalesce(sa.func.max(_t.c.id), 0))


_added: Final = transitions.FirstStates(
    sa.select(_t.c.id).where(
        _t.c.reading_id == param("reading_id"), _t.c.state == param("becomes"), _t.c.id > param("after")
    )
)
