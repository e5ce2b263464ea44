"""Rows of a reading: what the person wrote, what we understood, what is wrong, and where each one stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.states import RowState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """A row just read. `cells`: field → text as the person sees it; `line`: the typed row as JSON; with `problems` the
    row is born `refused`."""

    sheet: str
    row_number: int
    cells: Mapping[str, str]
    line: Mapping[str, Any] | None = None
    problems: Sequence[Problem] = ()
    business_key: str | None = None


@dataclass(frozen=True, slots=True)
class RowRecord:
    id: int
    file_id: int
    reading_id: int
    sheet: str
    row_number: int
    state: RowState
    cells: dict[str, str]
    line: dict[str, Any] | None
    problems: list[Problem]
    business_key: str | None
    emitter_id: int | None
    taker_id: int | None
    template_id: int | None


@dataclass(frozen=True, slots=True)
class Parties:
    """Whom a row bills for and to, and with which template; ledger ids."""

    emitter_id: int
    taker_id: int
    template_id: int


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """A row in its newest reading and the newest invoice of its place in the file."""

    row: RowRecord
    invoice: InvoiceRecord | None


def add_rows(conn: sa.Connection, reading_id: int, news: Sequence[NewRow]) -> int:
    """Add a chunk of rows (a few thousand at most), `read` or `refused`; how many. A place that this reading already
    has is an error of the caller."""
    raise NotImplementedError


def resolve_rows(conn: sa.Connection, parties: Mapping[int, Parties], *, keys: Mapping[int, str]) -> list[int]:
    """read → resolved, with the parties and, where given, the business key of each row. Returns the ids that moved."""
    raise NotImplementedError


def refuse_rows(conn: sa.Connection, problems: Mapping[int, Sequence[Problem]], *, because: str) -> list[int]:
    """read | resolved → refused, with the problems added to the row's. Returns the ids that moved."""
    raise NotImplementedError


def rows_of(
    conn: sa.Connection, reading_id: int, state: RowState | None = None, *, after: int = 0, limit: int = 5000
) -> list[RowRecord]:
    """Rows of a reading with an id above `after`, by id."""
    raise NotImplementedError


def count_rows(conn: sa.Connection, reading_id: int) -> dict[RowState, int]:
    """How many rows of the reading are in each state."""
    raise NotImplementedError


def living_places(conn: sa.Connection, file_id: int) -> set[tuple[str, int]]:
    """(sheet, row number) of this file's rows that have a living invoice, in any reading."""
    raise NotImplementedError


def newest_rows(conn: sa.Connection, file_id: int) -> list[RowOutcome]:
    """Every place of the file in its newest reading, by sheet and row number, with the newest invoice of that place
    (a living one first), for the outcome report."""
    raise NotImplementedError
