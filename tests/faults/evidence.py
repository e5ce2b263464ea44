"""Read the checker's evidence by plain means: workbooks with openpyxl, the ledger with raw SQL, the sandbox's record.

None of the project's own code takes part.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import openpyxl
import psycopg

HEADERS: Final = {
    "emitter": "CNPJ Emitente",
    "document": "CPF/CNPJ",
    "cents": "Valor",
    "description": "Discriminação",
    "competence": "Competência",
}
"""The columns from which the checker reads a row's request; a story's workbook has them under these names."""

TABLES: Final = (
    "files",
    "readings",
    "emitters",
    "rows",
    "batches",
    "orphans",
    "invoices",
    "numbers",
    "attempts",
    "events",
    "incidents",
    "approvals",
    "takers",
    "cancellations",
    "remote_changes",
)
_JSON: Final = frozenset({"amounts", "errors", "problems", "params"})
_BOOLEAN: Final = frozenset({"is_observed", "is_staged"})

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped workbook, and the numbers of its rows by what must become of them.

    `good` rows must end as one invoice each; `bad` ones never; `repeated` ones ask for what an earlier row already got.
    """

    path: Path
    good: frozenset[int]
    bad: frozenset[int]
    repeated: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Asked:
    """One row as the sheet shows it. `kind` is its writer's: good, bad or repeated.

    A good row is `cancelled` or `replaced` if a person wants that of its invoice; a `successor`
    is what a replaced row shall become.

    Without a file it is a charge of a contract or of a paid order, from no dropped file.
    """

    file: str
    sha256: str
    sheet: str
    number: int
    kind: str
    emitter: str
    document: str
    description: str
    competence: str
    cents: int

    @property
    def content(self) -> tuple[str, str, str, str, int]:
        """Return the values that identify its note; they come from the sheet, not from the ledger."""
        return (self.emitter, self.document, self.description, self.competence, self.cents)

    def __str__(self) -> str:
        return f"{self.file or 'charge'} row {self.number}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The three independent sources. `ledger`: table → rows; `record`: the sandbox's own, with history."""

    asked: list[Asked]
    ledger: Mapping[str, list[Record]]
    record: Record


def gather(dropped: Iterable[Dropped], ledger_url: str, record: Record) -> Evidence:
    """Read everything once; `record` is the answer of the sandbox's control path to `record?history=1`."""
    asked = [row for each in dropped for row in read_workbook(each)]
    return Evidence(asked, read_ledger(ledger_url), record)


def read_workbook(dropped: Dropped) -> Iterator[Asked]:
    """Yield the rows that the writer marked, by the header row that has all of `HEADERS`."""
    sha256 = hashlib.sha256(dropped.path.read_bytes()).hexdigest()
    marked = {number: kind for kind in ("good", "bad", "repeated") for number in getattr(dropped, kind)}
    book = openpyxl.load_workbook(dropped.path, data_only=True)
    sheet = book.worksheets[0]
    columns: dict[str, int] = {}
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if not columns:
            places = {str(text): place for place, text in enumerate(cells) if text is not None}
            if places.keys() >= set(HEADERS.values()):
                columns = {field: places[header] for field, header in HEADERS.items()}
        elif number in marked:
            values = {field: cells[place] for field, place in columns.items()}
            yield Asked(
                file=dropped.path.name,
                sha256=sha256,
                sheet=sheet.title,
                number=number,
                kind=marked.pop(number),
                emitter=_bare(values["emitter"]),
                document=_bare(values["document"]),
                description=str(values["description"] or ""),
                competence=_month(values["competence"]),
                cents=_cents(values["cents"]),
            )
    book.close()
    if marked:
        raise ValueError(f"{dropped.path.name} has no rows {sorted(marked)}")


def read_ledger(url: str) -> dict[str, list[Record]]:
    """Return every table in the order of its ids, JSON and booleans decoded, dates as ISO text."""
    if url.startswith("sqlite:///"):
        connection: Any = sqlite3.connect(f"file:{url.removeprefix('sqlite:///')}?mode=ro", uri=True)
    else:
        connection = psycopg.connect(url)
    try:
        found = {table: list(_rows(connection, table)) for table in TABLES}
        return {**found, "events": list(_one_event_per_row(found["events"]))}
    finally:
        connection.close()


def _rows(connection: Any, table: str) -> Iterator[Record]:
    order = "emitter_id, serie, number" if table == "numbers" else "id"
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY {order}")
    names = [column[0] for column in cursor.description]
    for values in cursor.fetchall():
        yield {name: _plain(name, value) for name, value in zip(names, values, strict=True)}


def _one_event_per_row(lines: Iterable[Record]) -> Iterator[Record]:
    """Yield an event for each row of the ledger that a journal line covers."""
    for line in lines:
        for entity_id in range(line["first_id"], line["last_id"] + 1):
            yield {**line, "entity_id": entity_id}


def _plain(name: str, value: Any) -> Any:
    if name in _JSON and isinstance(value, str):
        return json.loads(value)
    if name in _BOOLEAN:
        return bool(value)
    return value.isoformat() if isinstance(value, date) else value


def _bare(value: Any) -> str:
    return "".join(char for char in str(value or "").upper() if char.isalnum())


def _month(value: Any) -> str:
    """Return the first day of a month such as `11/2026`."""
    month, _, year = str(value or "").partition("/")
    return f"{year}-{month}-01"


def _cents(value: Any) -> int:
    return 0 if value in (None, "") else int(Decimal(str(value)) * 100)
