"""Erase what is held about a person beyond the fiscal minimum, and rows whose term has ended; journal both.

The journal of events holds ids, states and reasons, and no personal data: it stays as it is, and so do its seals.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.seals import head_of
from connectors.ledger.persons.holdings import Holdings, Line, holdings_of
from connectors.ledger.sheets.tag_secrets import secret_of
from connectors.ledger.sql import clock
from domain.documents import Document
from domain.persons.erasing import bare_problems, without_contacts
from domain.states import RowState

_NAME: Final = "persons"
_DIGITS: Final = 16
_rows, _readings = tables.rows, tables.readings


def pseudonym_of(conn: sa.Connection, document: Document) -> str:
    """Return the name that stands for the document; only this ledger's secret leads from one to the other."""
    digest = hmac.new(secret_of(conn, _NAME), document.number.encode(), hashlib.sha256)
    return f"person-{digest.hexdigest()[:_DIGITS]}"


def erase_person(
    conn: sa.Connection, document: Document, *, check: Callable[[Holdings], None], by: str, because: str
) -> dict[str, int]:
    """Erase what is not needed for issued invoices; return how many lines of each table were changed.

    Rows that were never billed lose everything but place and reasons; billed rows and takers lose their contacts; a
    taker without an invoice becomes its pseudonym. `check` sees what this transaction sees, and may refuse.
    """
    held = holdings_of(conn, document)
    check(held)
    pseudonym = pseudonym_of(conn, document)
    bare = {row["id"] for row in held.never_billed}
    for row in held.tables["rows"]:
        _write(conn, _rows, row, _bared(row) if row["id"] in bare else _cleaned(row, ("cells", "line")))
    billed = {invoice["taker_id"] for invoice in held.tables["invoices"]}
    for taker in held.tables["takers"]:
        # With its id: who comes back and is forgotten again has another line here.
        nobody = {"document": f"{pseudonym}-{taker['id']}", "name": pseudonym, "body": {}, "is_complete": False}
        _write(conn, tables.takers, taker, _cleaned(taker, ("body",)) if taker["id"] in billed else nobody)
    counts = {name: len(held.tables[name]) for name in ("rows", "takers")}
    _journal(conn, "erased", pseudonym=pseudonym, by=by, because=because, counts=counts)
    return counts


def count_expired_rows(conn: sa.Connection, *, before: datetime) -> int:
    """Count refused rows, of readings finished before an instant, that still say something."""
    return int(conn.execute(sa.select(sa.func.count()).select_from(_expired(before).subquery())).scalar_one())


def expire_rows(conn: sa.Connection, *, before: datetime, by: str, because: str, sheets: int) -> int:
    """Empty refused rows of readings finished before an instant; journal it with how many `sheets` were deleted."""
    expired = [dict(row) for row in conn.execute(_expired(before)).mappings()]
    for row in expired:
        _write(conn, _rows, row, _bared(row))
    if expired or sheets:
        _journal(conn, "expired", by=by, because=because, counts={"rows": len(expired), "sheets": sheets})
    return len(expired)


def files_read_before(conn: sa.Connection, before: datetime) -> list[tuple[int, str, str]]:
    """Return id, digest and name of files whose every reading was finished before an instant."""
    files = tables.files
    newest = sa.func.max(sa.func.coalesce(_readings.c.finished_at, clock(conn)))
    query = sa.select(files.c.id, files.c.sha256, files.c.name).join(_readings, _readings.c.file_id == files.c.id)
    query = query.group_by(files.c.id, files.c.sha256, files.c.name).having(newest < before).order_by(files.c.id)
    return [(row.id, row.sha256, row.name) for row in conn.execute(query)]


def erasures_all(conn: sa.Connection) -> list[Mapping[str, Any]]:
    """Return the journal of erasures, oldest first."""
    return [dict(row) for row in conn.execute(sa.select(tables.erasures).order_by(tables.erasures.c.id)).mappings()]


def _expired(before: datetime) -> sa.Select[Any]:
    has_words = sa.or_(sa.cast(_rows.c.cells, sa.Text) != "{}", _rows.c.line.is_not(None))
    return (
        sa.select(_rows)
        .join(_readings, _readings.c.id == _rows.c.reading_id)
        .where(_rows.c.state == str(RowState.REFUSED), _readings.c.finished_at < before, has_words)
        .order_by(_rows.c.id)
    )


def _bared(row: Line) -> dict[str, Any]:
    problems = bare_problems(row["problems"])
    return {"cells": {}, "line": None, "problems": problems, "business_key": None, "taker_id": None}


def _cleaned(line: Line, columns: Iterable[str]) -> dict[str, Any]:
    return {column: without_contacts(line[column]) for column in columns}


def _write(conn: sa.Connection, table: sa.Table, line: Line, changed: Mapping[str, Any]) -> None:
    conn.execute(sa.update(table).where(table.c.id == line["id"]).values(**changed))


def _journal(
    conn: sa.Connection, what: str, *, by: str, because: str, counts: Mapping[str, int], pseudonym: str | None = None
) -> None:
    sealed = head_of(conn)
    line = {"what": what, "pseudonym": pseudonym, "done_by": by, "because": because, "counts": dict(counts)}
    head = None if sealed is None else str(sealed)
    conn.execute(sa.insert(tables.erasures).values(**line, head=head, at=clock(conn)))
