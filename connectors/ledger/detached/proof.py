"""Compare the files of detached months with the ledger: digests, seals of the journal, and the carried states."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.encryption import Identity, is_encrypted
from connectors.ledger.backup.line_files import UnusableCopy, read_lines
from connectors.ledger.backup.seals import FileChain, seals_between
from connectors.ledger.detached.carried import Block, Run, after_line, differing_states
from connectors.ledger.detached.contents import FORMATS
from connectors.ledger.detached.months import DetachedMonth, detached_months, unemptied_months
from domain.competence import format_competence
from domain.problems import Problem

_PLACES: Final = [
    tables.events.columns.keys().index(name) for name in ("entity", "block", "first_id", "last_id", "becomes")
]


def unread_months(conn: sa.Connection, folder: Path, identities: Sequence[Identity] = ()) -> list[Problem]:
    """Return a problem for each detached month whose file cannot be read.

    The file is not in `folder`, or it is encrypted and `identities` is empty.
    """
    return [
        Problem("ledger.month_unread", params={"month": format_competence(each.competence), "file": each.file})
        for each in detached_months(conn)
        if not _is_readable(folder / each.file, identities)
    ]


def broken_months(conn: sa.Connection, folder: Path, identities: Sequence[Identity] = ()) -> Iterator[Problem]:
    """Yield a problem for each fault in the files of detached months that can be read.

    If all files can be read and have no fault, and all months are emptied, compare the carried states, too.
    """
    replayed: dict[Block, list[Run]] = {}
    # Until every month is emptied, the carried states are incomplete.
    is_whole, after = not unemptied_months(conn), 0
    for month in detached_months(conn):
        path = folder / month.file
        if _is_readable(path, identities):
            seals = seals_between(conn, after, month.last_event)
            found = list(_compare_month(month, path, identities, FileChain(seals, after=after), replayed))
            yield from found
            is_whole = is_whole and not found
        else:
            is_whole = False
        after = month.last_event
    if is_whole:
        for entity, block in differing_states(conn, replayed):
            yield Problem("ledger.carried_differs", params={"entity": entity, "block": block})


def _compare_month(
    month: DetachedMonth,
    path: Path,
    identities: Sequence[Identity],
    chain: FileChain,
    replayed: dict[Block, list[Run]],
) -> Iterator[Problem]:
    def add(table: str, row: list[Any]) -> None:
        if table != "events":
            return
        chain.add(row)
        entity, block, first_id, last_id, becomes = (row[place] for place in _PLACES)
        key = Block(entity, block)
        replayed[key] = after_line(replayed.get(key, []), Run(first_id, last_id, becomes))

    named = {"month": format_competence(month.competence), "file": month.file}
    try:
        whole = read_lines(path, formats=FORMATS, identities=identities, use=add)
    except UnusableCopy:
        yield Problem("ledger.month_differs", params=named)
        return
    if (whole.sha256, whole.rows) != (month.sha256, month.counts):
        yield Problem("ledger.month_differs", params=named)
    yield from chain.end()


def _is_readable(path: Path, identities: Sequence[Identity]) -> bool:
    return path.is_file() and (bool(identities) or not is_encrypted(path))
