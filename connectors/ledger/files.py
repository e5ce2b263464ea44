"""Store received files, identified by the SHA-256 of their bytes, and the readings of each file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Instant, Statement, clock, has_come, param
from connectors.process_names import has_ended
from domain.problems import FaturistaError, Problem

_t = tables.files
_readings = tables.readings
_FAR_S: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A received file. `is_new` is True only in the result of the first `receive` of these bytes."""

    id: int
    sha256: str
    name: str
    size_bytes: int
    kind: str
    received_at: datetime
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """One reading of a file, with the operator's options. `understood` is the reader's result, None until finished."""

    id: int
    file_id: int
    ordinal: int
    operator: str
    started_at: datetime
    finished_at: datetime | None
    options: dict[str, Any]
    understood: dict[str, Any] | None

    @property
    def droppers(self) -> list[str]:
        """Return the people who must not approve this reading alone.

        They are the operator, and an inbox file's owner and folder: all files of a network share may belong to one
        account, and then the folder's name is the person's.
        """
        names = ("dropper", "sender") if self.options.get("dropper") else ()
        return [self.operator, *(str(self.options[name]) for name in names if self.options.get(name))]

    @property
    def dropped_by(self) -> str:
        """Return the sender's name as shown to people.

        For an inbox file this is the folder's person, with the file's owner in brackets if the two differ, because one
        account may own every file; without a folder it is the owner.
        """
        owner, folder = self.options.get("dropper"), self.options.get("sender")
        if not owner:
            return self.operator
        return f"{folder} ({owner})" if folder and folder != owner else str(owner)


_RECORD: Final = [_readings.c[field.name] for field in fields(ReadingRecord)]


def receive(conn: sa.Connection, *, sha256: str, name: str, size_bytes: int, kind: str) -> FileRecord:
    """Store a file. If the same bytes are stored already, return that file, with its first name."""
    line = {"sha256": sha256, "name": name, "size_bytes": size_bytes, "kind": kind}
    made = conn.execute(insert_unless_known(conn, _t).values(**line, received_at=clock(conn)).returning(*_t.c))
    new = made.one_or_none()
    if new is not None:
        return replace(FileRecord(*new), is_new=True)
    return FileRecord(*conn.execute(sa.select(_t).where(_t.c.sha256 == sha256)).one())


def begin_reading(conn: sa.Connection, file_id: int, *, operator: str, options: Mapping[str, Any]) -> int:
    """Store a new reading of the file. Return its id."""
    # Two workers may read one file at once: the lock gives them different ordinals.
    _lock(conn, file_id)
    last = sa.select(sa.func.coalesce(sa.func.max(_readings.c.ordinal), 0)).where(_readings.c.file_id == file_id)
    line = {"file_id": file_id, "ordinal": last.scalar_subquery() + 1, "operator": operator, "options": dict(options)}
    instants = {"started_at": clock(conn), "alive_at": clock(conn)}
    made = conn.execute(sa.insert(_readings).values(**line, **instants).returning(_readings.c.id))
    return int(made.scalar_one())


def record_heartbeat(conn: sa.Connection, reading_id: int, *, worker: str) -> None:
    """Store that this process (`worker`) works on the reading now."""
    conn.execute(sa.update(_readings).where(_readings.c.id == reading_id).values(worker=worker, alive_at=clock(conn)))


def claim_reading(conn: sa.Connection, reading_id: int, *, worker: str, idle_s: float) -> bool:
    """Claim the reading for this process, unless another one works on it. Return whether it was claimed.

    Another process works on it if its heartbeat is younger than `idle_s` seconds and it is not known to have ended.
    Only one of several processes that claim an idle reading at once succeeds.
    """
    held = sa.select(_readings.c.worker, is_silent(conn, idle_s=idle_s).label("is_silent"))
    found = conn.execute(held.where(_readings.c.id == reading_id).with_for_update()).one()
    if not (found.is_silent or found.worker == worker or has_ended(found.worker or "")):
        return False
    record_heartbeat(conn, reading_id, worker=worker)
    return True


def leave(conn: sa.Connection, reading_id: int, *, worker: str) -> None:
    """Store that no process works on the reading, unless it belongs to another process by now."""
    mine = sa.update(_readings).where(_readings.c.id == reading_id, _readings.c.worker == worker)
    conn.execute(mine.values(worker=None, alive_at=None))


def is_silent(conn: sa.Connection, *, idle_s: float) -> sa.ColumnElement[bool]:
    """Return the condition that a reading had no heartbeat for `idle_s` seconds. For this package only.

    A heartbeat more than an hour in the future counts as none: it was stored before the clock was set back, and a
    living worker soon stores another one.
    """
    alive_at = _readings.c.alive_at
    latest = clock(conn, plus_s=idle_s + _FAR_S)
    return sa.or_(alive_at.is_(None), has_come(alive_at, clock(conn, plus_s=-idle_s), latest))


def count_and_lock_readings(conn: sa.Connection, file_id: int) -> int:
    """Count the file's finished readings, and lock the file against new readings until this transaction ends."""
    _lock(conn, file_id)
    finished = sa.select(sa.func.count()).where(_readings.c.file_id == file_id, _readings.c.finished_at.is_not(None))
    return int(conn.execute(finished).scalar_one())


def end_reading(conn: sa.Connection, reading_id: int, understood: Mapping[str, Any]) -> None:
    """Store the reader's result and finish the reading. All its rows are valid from now on."""
    change = sa.update(_readings).where(_readings.c.id == reading_id)
    conn.execute(change.values(finished_at=clock(conn), understood=dict(understood)))


def add_decisions(conn: sa.Connection, reading_id: int, decisions: Sequence[Mapping[str, Any]]) -> None:
    """Add a later station's decisions about a reading's rows to the reading's result (`understood`)."""
    found = conn.execute(
        sa.select(_readings.c.understood).where(_readings.c.id == reading_id).with_for_update()
    ).scalar_one()
    known = dict(found or {})
    known["decisions"] = [*known.get("decisions", ()), *(dict(each) for each in decisions)]
    conn.execute(sa.update(_readings).where(_readings.c.id == reading_id).values(understood=known))


def reading_of(conn: sa.Connection, reading_id: int) -> ReadingRecord:
    """Return one reading. Raises `FaturistaError` (`ledger.no_reading`)."""
    found = _reading(conn, reading_id=reading_id).one_or_none()
    if found is None:
        raise FaturistaError(Problem("ledger.no_reading", params={"reading": reading_id}))
    return ReadingRecord(*found)


@Statement
def _reading(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(*_RECORD).where(_readings.c.id == param("reading_id"))


def file_of_reading(conn: sa.Connection, reading_id: int) -> FileRecord:
    return FileRecord(*_file(conn, reading_id=reading_id).one())


@Statement
def _file(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).join(_readings, _readings.c.file_id == _t.c.id).where(_readings.c.id == param("reading_id"))


def last_reading(conn: sa.Connection, file_id: int) -> ReadingRecord | None:
    """Return the newest finished reading of the file, or None."""
    query = sa.select(*_RECORD).where(_readings.c.file_id == file_id, _readings.c.finished_at.is_not(None))
    found = conn.execute(query.order_by(_readings.c.ordinal.desc()).limit(1)).one_or_none()
    return None if found is None else ReadingRecord(*found)


def earlier_reading(conn: sa.Connection, reading: ReadingRecord) -> ReadingRecord | None:
    """Return the newest finished reading of the same file that is older than this one, or None."""
    older = (_readings.c.file_id == reading.file_id, _readings.c.ordinal < reading.ordinal)
    query = sa.select(*_RECORD).where(*older, _readings.c.finished_at.is_not(None))
    found = conn.execute(query.order_by(_readings.c.ordinal.desc()).limit(1)).one_or_none()
    return None if found is None else ReadingRecord(*found)


def is_reading_finished(reading_id: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """Return the condition that the reading with this id is finished. For this package only."""
    return sa.exists().where(_readings.c.id == reading_id, _readings.c.finished_at.is_not(None))


def finished_readings_query(file_id: int) -> sa.Select[tuple[int]]:
    """Return the query for the ids of the file's finished readings. For this package only."""
    return sa.select(_readings.c.id).where(_readings.c.file_id == file_id, _readings.c.finished_at.is_not(None))


def find_file(
    conn: sa.Connection, *, sha256: str | None = None, file_id: int | None = None, name: str | None = None
) -> FileRecord | None:
    """Return the file that matches all given values, or None.

    Of the digest, the first 6 characters or more are enough if only one file matches. Of several files with one name,
    return the newest.
    """
    query = sa.select(_t).order_by(_t.c.id.desc())
    if sha256 is not None:
        if len(sha256) < 6:
            return None
        query = query.where(_t.c.sha256.startswith(sha256.lower(), autoescape=True))
    if file_id is not None:
        query = query.where(_t.c.id == file_id)
    if name is not None:
        query = query.where(_t.c.name == name)
    found = conn.execute(query.limit(2)).all()
    if not found or (sha256 is not None and len(found) > 1):
        return None
    return FileRecord(*found[0])


def first_received(conn: sa.Connection) -> datetime | None:
    """Return when the first file was received, or None."""
    found: datetime | None = conn.execute(sa.select(sa.func.min(_t.c.received_at, type_=Instant))).scalar_one()
    return found


def newest_files(conn: sa.Connection, *, kind: str, limit: int) -> list[FileRecord]:
    """Return the newest files of a kind, newest first."""
    query = sa.select(_t).where(_t.c.kind == kind).order_by(_t.c.id.desc()).limit(limit)
    return [FileRecord(*row) for row in conn.execute(query)]


def _lock(conn: sa.Connection, file_id: int) -> None:
    # `key_share` still allows foreign keys to the file: another reading may store its rows meanwhile.
    conn.execute(sa.select(_t.c.id).where(_t.c.id == file_id).with_for_update(key_share=True))
