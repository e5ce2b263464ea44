"""A reading is stored a part at a time, so that no other writer waits for long, and counts as a whole or not at all.

Until it is finished nothing looks at its rows, and the database lets none of them move. One that stopped on the way
stays unfinished for ever; the file is read anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import files
from connectors.ledger.engine import Ledger
from connectors.ledger.rows import PackedRow, add_packed
from domain.problems import FaturistaError, Problem

_PART: Final = 2_000


class ReadMeanwhile(FaturistaError):
    """Somebody else finished a reading of this file since ours began, which knows nothing of it and counts nothing."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A reading on its way, and how many others of its file were finished when it began."""

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
    """Store a reading with all its rows, or nothing that counts. Return its id. `news` is consumed lazily.

    Raises `ReadMeanwhile`: the file is to be judged again.
    """

    def begin(conn: sa.Connection) -> _Begun:
        whole = files.whole_readings(conn, file_id)
        return _Begun(files.begin_reading(conn, file_id, operator=operator, options=options), whole)

    def store(conn: sa.Connection, begun: _Begun | None, part: Sequence[PackedRow], *, is_last: bool) -> _Begun:
        begun = begun or begin(conn)
        add_packed(conn, begun.reading_id, part)
        if is_last:
            if files.whole_readings(conn, file_id) != begun.whole:
                raise ReadMeanwhile(Problem("file.read_meanwhile"))
            files.end_reading(conn, begun.reading_id, understood)
        return begun

    # the database works without Python's lock: the next part is typed while this one is stored
    with ThreadPoolExecutor(1, "reading") as writer:
        stored: Future[_Begun] | None = None
        for part, is_last in _parts(news):
            begun = None if stored is None else stored.result()
            stored = writer.submit(ledger.write, store, begun, part, is_last=is_last)
        assert stored is not None
        return stored.result().reading_id


def _parts(news: Iterable[PackedRow]) -> Iterator[tuple[list[PackedRow], bool]]:
    """Yield the rows in parts, at least one, each with whether it is the last."""
    coming = iter(news)
    part = list(islice(coming, _PART))
    for first in coming:
        yield part, False
        part = [first, *islice(coming, _PART - 1)]
    yield part, True
