"""Erase a person's data beyond the fiscal minimum, and journal each erasure.

The journal of states has ids, states and reasons, but no personal data: it stays unchanged, and so do its seals.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.seals import head_of
from connectors.ledger.database.sql import clock
from connectors.ledger.parties import NEVER
from connectors.ledger.persons.holdings import Holdings, Line, holdings_of
from connectors.ledger.sheets.tag_secrets import secret_of
from domain.documents import Document
from domain.personal_data import bare_problems, without_contacts

_NAME: Final = "persons"
_DIGITS: Final = 16
_rows, _readings = tables.rows, tables.readings


def pseudonym_of(conn: sa.Connection, document: Document) -> str:
    """Return the pseudonym of a CPF or CNPJ. Only this ledger's secret links the two."""
    digest = hmac.new(secret_of(conn, _NAME), document.number.encode(), hashlib.sha256)
    return f"person-{digest.hexdigest()[:_DIGITS]}"


def erase_person(
    conn: sa.Connection, document: Document, *, check: Callable[[Holdings], None], by: str, because: str
) -> dict[str, int]:
    """Erase a person's data that no invoice needs. Return how many rows of each table changed.

    Rows without an invoice lose all but their position in the sheet and their problem codes. Billed rows and takers
    lose their contact data. A taker without an invoice is replaced by its pseudonym. `check` gets the data that this
    transaction found, and may raise an error to prevent the erasure.
    """
    held = holdings_of(conn, document)
    check(held)
    pseudonym = pseudonym_of(conn, document)
    unbilled = {row["id"] for row in held.never_billed}
    for row in held.tables["rows"]:
        write_line(conn, _rows, row, bare_row(row) if row["id"] in unbilled else _clean_columns(row, ("cells", "line")))
    billed = {invoice["taker_id"] for invoice in held.tables["invoices"]}
    for taker in held.tables["takers"]:
        # Include the id, because a person who returns and is erased again gets a second row.
        nobody = {"document": f"{pseudonym}-{taker['id']}", "name": pseudonym, "body": {}, "is_complete": False}
        # The register may still have the erased contacts: read it before the taker is billed again.
        bare = {**_clean_columns(taker, ("body",)), "looked_at": NEVER}
        write_line(conn, tables.takers, taker, bare if taker["id"] in billed else nobody)
    counts = {name: len(held.tables[name]) for name in ("rows", "takers")}
    journal_erasure(conn, "erased", pseudonym=pseudonym, by=by, because=because, counts=counts)
    return counts


def bare_row(row: Line) -> dict[str, Any]:
    problems = bare_problems(row["problems"])
    return {"cells": {}, "line": None, "problems": problems, "business_key": None, "taker_id": None}


def _clean_columns(line: Line, columns: Iterable[str]) -> dict[str, Any]:
    return {column: without_contacts(line[column]) for column in columns}


def write_line(conn: sa.Connection, table: sa.Table, line: Line, changed: Mapping[str, Any]) -> None:
    conn.execute(sa.update(table).where(table.c.id == line["id"]).values(**changed))


def journal_erasure(
    conn: sa.Connection, what: str, *, by: str, because: str, counts: Mapping[str, int], pseudonym: str | None = None
) -> None:
    sealed = head_of(conn)
    line = {"what": what, "pseudonym": pseudonym, "done_by": by, "because": because, "counts": dict(counts)}
    head = None if sealed is None else str(sealed)
    conn.execute(sa.insert(tables.erasures).values(**line, head=head, at=clock(conn)))
