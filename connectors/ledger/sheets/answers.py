"""Find the dropped files whose written answers are out of date, and store which changes each answer includes.

An answer is the result that an operator gets for a dropped file. It shows rows, invoices, batches and documents, also
those of other files with rows of the same charges: a correction changes the answer to the file that it corrects.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import DialectInsert, insert_unless_known, insert_with
from connectors.ledger.database.sql import Instant, clock, is_in, now
from connectors.ledger.files import finished_readings_query
from connectors.ledger.journal import journal_subjects
from domain.states import Entity

_t = tables.answers
_rows = tables.rows


def files_to_answer(conn: sa.Connection, *, operator: str, since: datetime, every_s: float) -> list[int]:
    """Return the files of `operator` whose answer may have changed since `since`.

    These are the files that were read since then, or with a batch that is open or was closed or checked since then; and
    answered files that share charges with them. Leave out files whose answer was written in the last `every_s` seconds.
    """
    fresh = _fresh_files(conn, operator=operator, since=since)
    due = fresh - _answered_lately(conn, fresh, every_s=every_s)
    related = _related_files(conn, due) - due if due else set()
    answered = set(conn.execute(sa.select(_t.c.file_id).where(is_in(conn, _t.c.file_id, related))).scalars())
    return sorted(due | (answered - _answered_lately(conn, answered, every_s=every_s)))


def newest_answered_change(conn: sa.Connection, file_id: int) -> datetime | None:
    """Return the instant of the newest change that the file's answer includes; None before the first answer."""
    found: datetime | None = conn.execute(sa.select(_t.c.change_at).where(_t.c.file_id == file_id)).scalar()
    return found


def has_answer(conn: sa.Connection, file_id: int) -> bool:
    """Return whether an answer to the file was written to its end."""
    return newest_answered_change(conn, file_id) is not None


def claim_answer(conn: sa.Connection, file_id: int, *, every_s: float) -> bool:
    """Claim the writing of a file's answer. Return False if a process claimed it in the last `every_s` seconds."""
    line = insert_unless_known(conn, _t).values(file_id=file_id, written_at=clock(conn)).returning(_t.c.file_id)
    if conn.execute(line).first() is not None:
        return True
    # A later instant was written before the clock was set back.
    is_recent = sa.and_(_t.c.written_at > clock(conn, plus_s=-every_s), _t.c.written_at <= clock(conn))
    mine = sa.update(_t).where(_t.c.file_id == file_id, ~is_recent).values(written_at=clock(conn))
    return conn.execute(mine).rowcount == 1


def note_answer(conn: sa.Connection, file_id: int, *, change_at: datetime | None) -> None:
    """Store that the file's answer was written now and includes all changes until `change_at`."""
    line = {"change_at": change_at, "written_at": clock(conn)}
    conn.execute(insert_with(conn, _t, _replace_on_conflict).values(file_id=file_id, **line))


def _replace_on_conflict(insert: DialectInsert) -> DialectInsert:
    news = {name: insert.excluded[name] for name in ("change_at", "written_at")}
    return insert.on_conflict_do_update(index_elements=["file_id"], set_=news)


def newest_change(conn: sa.Connection, file_id: int) -> datetime | None:
    """Return the instant of the newest change that the file's answer must show; None before its first reading."""
    invoices, documents = tables.invoices, tables.documents
    # One statement with a list of ids for each table: in a join, PostgreSQL may scan a table once for each row.
    rows = _rows_of_charges(conn, file_id)
    found = conn.execute(
        sa.select(invoices.c.id, invoices.c.batch_id).where(is_in(conn, invoices.c.row_id, rows))
    ).all()
    notes, batches = [each.id for each in found], {each.batch_id for each in found if each.batch_id is not None}
    newest = [
        _newest_event(conn, entity, ids)
        for entity, ids in ((Entity.ROW, rows), (Entity.INVOICE, notes), (Entity.BATCH, batches))
    ]
    fetched = sa.select(sa.func.max(documents.c.fetched_at, type_=Instant))
    newest.append(conn.execute(fetched.where(is_in(conn, documents.c.invoice_id, notes))).scalar_one())
    return max((at for at in newest if at is not None), default=None)


def _rows_of_charges(conn: sa.Connection, file_id: int) -> set[int]:
    """Return the file's rows, and the rows of the same charges in other files and readings."""
    own = sa.select(_rows.c.id, _rows.c.origin_id).where(_rows.c.reading_id.in_(finished_readings_query(file_id)))
    rows: set[int] = set()
    for row_id, origin_id in conn.execute(own):
        rows |= {row_id, origin_id or row_id}
    return rows | set(conn.execute(sa.select(_rows.c.id).where(is_in(conn, _rows.c.origin_id, rows))).scalars())


def _newest_event(conn: sa.Connection, entity: Entity, ids: Collection[int]) -> datetime | None:
    asked, is_theirs = journal_subjects(conn, entity, ids)
    query = sa.select(sa.func.max(tables.events.c.at, type_=Instant)).select_from(asked.join(tables.events, is_theirs))
    found: datetime | None = conn.execute(query).scalar_one()
    return found


def _fresh_files(conn: sa.Connection, *, operator: str, since: datetime) -> set[int]:
    """Return the operator's files with news since `since`, or with an open batch.

    News are a finished reading, also another person's, and a batch that was closed or checked.
    """
    readings, batches = tables.readings, tables.batches
    dropped = sa.select(readings.c.file_id).where(readings.c.operator == operator)
    newest = sa.func.coalesce(batches.c.recounted_at, batches.c.closed_at)
    has_news = sa.or_(newest.is_(None), newest >= since)
    with_batch = sa.select(batches.c.reading_id).where(has_news)
    is_fresh = sa.or_(readings.c.finished_at >= since, readings.c.id.in_(with_batch))
    query = sa.select(readings.c.file_id).where(is_fresh, readings.c.file_id.in_(dropped)).distinct()
    return set(conn.execute(query).scalars())


def _answered_lately(conn: sa.Connection, files: set[int], *, every_s: float) -> set[int]:
    """Return the files whose answer was written in the last `every_s` seconds."""
    at = now(conn)
    # A later instant was written before the clock was set back.
    is_recent = sa.and_(_t.c.written_at > at - timedelta(seconds=every_s), _t.c.written_at <= at)
    return set(conn.execute(sa.select(_t.c.file_id).where(is_in(conn, _t.c.file_id, files), is_recent)).scalars())


def _related_files(conn: sa.Connection, files: set[int]) -> set[int]:
    """Return the files with rows of the same charges as rows of these files."""
    ours, theirs = _rows.alias(), _rows.alias()
    readings = sa.select(tables.readings.c.id).where(is_in(conn, tables.readings.c.file_id, files))
    same = (theirs.c.origin_id == ours.c.id, theirs.c.id == ours.c.origin_id, theirs.c.origin_id == ours.c.origin_id)
    query = sa.union(
        *(
            sa.select(theirs.c.file_id).select_from(ours.join(theirs, each)).where(ours.c.reading_id.in_(readings))
            for each in same
        )
    )
    return set(conn.execute(query).scalars())
