"""The journal and all tables as plain CSV and JSON lines, for an auditor without our program and database."""

import csv
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any, Final

import sqlalchemy as sa

from connectors.ledger.backup.copies import rows_in_order
from connectors.ledger.backup.seals import head_of
from connectors.ledger.database.files import new_folder, open_new
from connectors.ledger.database.sql import now
from connectors.ledger.engine import version_of
from connectors.ledger.mirror import tables as mirror
from domain.texts import escape_formulas

LEFT_OUT: Final = frozenset(
    {
        "secrets",
        "staff_secrets",
        "staff_codes",
        "rate_limits",
        "request_slots",
        "alerts",
        "answers",
        "latencies",
        "hints",
        "deliveries",
    }
)
MANIFEST: Final = "manifest.json"


def export_tables(conn: sa.Connection, folder: Path) -> dict[str, int]:
    """Write each table as `<table>.csv` and `<table>.jsonl` into a new `folder`. Return the row counts by table.

    All tables are of this snapshot; those in `LEFT_OUT` are not written. Instants are ISO 8601 in UTC, amounts are
    cents. In the CSV an apostrophe precedes text that a spreadsheet would run as a formula, also after a ";" or a line
    break within the text; the JSON lines have the text unchanged. `manifest.json` has the ledger's version, the
    snapshot's instant, the row counts, the newest seal of the journal and the digest of every file. The folder appears
    only when it is complete. Raises `FileExistsError` if `folder` exists.
    """
    if folder.exists():
        raise FileExistsError(folder)
    sealed = head_of(conn)
    head = None if sealed is None else str(sealed)
    made = {"version": version_of(conn), "taken_at": now(conn).isoformat(), "head": head}
    counts: dict[str, int] = {}
    with new_folder(folder) as partial:
        for table in mirror.metadata.sorted_tables:
            if table.name not in LEFT_OUT:
                counts[table.name] = _write(conn, table, partial)
        digests = {path.name: _digest(path) for path in sorted(partial.iterdir())}
        manifest = {**made, "rows": counts, "sha256": digests}
        with _create_text_file(partial / MANIFEST) as file:
            file.write(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    return counts


def _write(conn: sa.Connection, table: sa.Table, folder: Path) -> int:
    names = [column.name for column in table.columns]
    count = 0
    with ExitStack() as stack:
        sheet, lines = (
            stack.enter_context(_create_text_file(folder / f"{table.name}.{kind}")) for kind in ("csv", "jsonl")
        )
        written = csv.writer(sheet)
        written.writerow(names)
        for row in stack.enter_context(rows_in_order(conn, table)):
            plain = [_json_value(value) for value in row]
            written.writerow([_cell(value) for value in plain])
            lines.write(json.dumps(dict(zip(names, plain, strict=True)), ensure_ascii=False) + "\n")
            count += 1
    return count


@contextmanager
def _create_text_file(path: Path) -> Iterator[IO[str]]:
    with os.fdopen(open_new(path), "w", encoding="utf-8", newline="") as file:
        yield file


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime | date) else value


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return escape_formulas(value) if isinstance(value, str) else value


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
