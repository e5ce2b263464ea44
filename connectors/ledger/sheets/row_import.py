"""Store a reading in parts, so that other writers wait briefly; it becomes valid as a whole or not at all.

Until the reading is finished, no query uses its rows, and the database refuses to move them. An interrupted reading
stays unfinished for ever, and the file is read anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import files
from connectors.ledger.engine import Ledger
from connectors.ledger.rows import PackedRow, add_packed
from connectors.process_names import process_name
from domain.problems import FaturistaError, Problem

_PART: Final = 2_000


class ReadMeanwhile(FaturistaError):
    """Somebody else finished a reading of this file after ours began; ours does not know it and becomes invalid."""


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
) -> int:
    """Store a reading with all its rows, or nothing valid. Return its id. `news` is consumed lazily.

    Raises `ReadMeanwhile`: judge the file again.
    """

    def begin(conn: sa.Connection) -> _Begun:
        whole = files.whole_readings(conn, file_id)
        return _Begun(files.begin_reading(conn, file_id, operator=operator, options=options), whole)

    def store(conn: sa.Connection, begun: _Begun | None, part: Sequence[PackedRow], *, is_last: bool) -> _Begun:
        begun = begun or begin(conn)
        add_packed(conn, begun.reading_id, part)
        files.keep_alive(conn, begun.reading_id, worker=process_name())
        if is_last:
            if files.whole_readings(conn, file_id) != begun.whole:
                raise ReadMeanwhile(Problem("file.read_meanwhile"))
            files.end_reading(conn, begun.reading_id, understood)
        return begun

    # not in a thread beside the parsing: both want the interpreter lock, and together they took a sixth more
    begun: _Begun | None = None
    for part, is_last in _parts(news):
        begun = ledger.write(store, begun, part, is_last=is_last)
    assert begun is not None
    return begun.reading_id


def _parts(news: Iterable[PackedRow]) -> Iterator[tuple[list[PackedRow], bool]]:
    """Yield (rows, is_last) in parts, at least one."""
    coming = iter(news)
    part = list(islice(coming, _PART))
    for first in coming:
        yield part, False
        part = [first, *islice(coming, _PART - 1)]
    yield part, True
