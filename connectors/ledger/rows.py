"""Store and query the rows of a reading: the person's texts, the typed line, the problems, and the state."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson
import sqlalchemy as sa

from connectors.ledger import files, tables, transitions
from connectors.ledger.database.sql import is_in, values
from connectors.ledger.invoices import LEADER, InvoiceRecord
from connectors.process_names import has_ended
from domain.problems import Problem
from domain.states import BatchState, InvoiceState, RowState

_t = tables.rows
_invoices, _batches = tables.invoices, tables.batches
_READ, _REFUSED = str(RowState.READ), str(RowState.REFUSED)
_TOGETHER: Final = 100
"""Rows split into columns at a time: few, so that they are freed before the garbage collector looks at them."""


# Not frozen: a frozen object takes twice as long to create, and a large file has a million rows.
@dataclass(slots=True, kw_only=True)
class NewRow:
    """A row to be stored. With `problems` it starts as `refused`, else as `read`.

    `cells`: field → text as the person sees it. `line`: the typed row as JSON. `follows_id`: the row that it corrects.
    `run_competence`: the month (`2026-11`) that the run or a title set, None if the row has its own.
    """

    sheet: str
    row_number: int
    cells: Mapping[str, Any]
    line: Mapping[str, Any] | None = None
    problems: Sequence[Problem] = ()
    business_key: str | None = None
    follows_id: int | None = None
    run_competence: str | None = None


class RowLocation(NamedTuple):
    """What identifies a row within its file, in any reading. `run_competence`: see `NewRow`."""

    sheet: str
    row_number: int
    run_competence: str | None


@dataclass(frozen=True, slots=True)
class RowRecord:
    """A row in the ledger. `leader_id`: the row that owns this row's invoice; None for an owner.

    `follows_id`: the row that it corrects. `origin_id`: the first row of this charge; None for the first.
    """

    id: int
    file_id: int
    reading_id: int
    sheet: str
    row_number: int
    state: RowState
    cells: dict[str, Any]
    line: dict[str, Any] | None
    problems: list[Problem]
    business_key: str | None
    emitter_id: int | None
    taker_id: int | None
    template_id: int | None
    leader_id: int | None
    follows_id: int | None = None
    origin_id: int | None = None
    run_competence: str | None = None

    @property
    def location(self) -> "RowLocation":
        """The row's identity within its file."""
        return RowLocation(self.sheet, self.row_number, self.run_competence)

    @property
    def family(self) -> int:
        """The id of the first row of this charge."""
        return self.origin_id or self.id


@dataclass(frozen=True, slots=True)
class Parties:
    """Emitter, taker and template of a row, as ledger ids. A product row has no taker: its line has the customer."""

    emitter_id: int
    taker_id: int | None = None
    template_id: int | None = None


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """The newest row of a location in a file, and the invoice of that location (`row_outcomes.newest_ids`)."""

    row: RowRecord
    invoice: InvoiceRecord | None


class RowProblems(NamedTuple):
    """A row's id, its number in the sheet, and its problems."""

    id: int
    row_number: int
    problems: list[Problem]


class PackedRow(NamedTuple):
    """A new row as stored, with JSON as bytes."""

    sheet: str
    row_number: int
    state: str
    cells: bytes
    line: bytes | None
    problems: bytes
    business_key: str | None
    follows_id: int | None
    run_competence: str | None

    @property
    def location(self) -> RowLocation:
        """The row's identity within its file."""
        return RowLocation(self.sheet, self.row_number, self.run_competence)


class PackedRows:
    """Packed rows by column, so that the garbage collector visits a few lists instead of thousands of rows."""

    def __init__(self, rows: Iterable[PackedRow] = ()) -> None:
        self.columns: Mapping[str, list[Any]] = {name: [] for name in PackedRow._fields}
        coming = iter(rows)
        while some := list(islice(coming, _TOGETHER)):
            for column, added in zip(self.columns.values(), zip(*some, strict=True), strict=True):
                column.extend(added)

    def __len__(self) -> int:
        return len(self.columns["row_number"])

    def __iter__(self) -> Iterator[PackedRow]:
        return map(PackedRow, *self.columns.values())

    def __getitem__(self, place: int) -> PackedRow:
        return PackedRow(*(column[place] for column in self.columns.values()))


def pack_new_row(new: NewRow) -> PackedRow:
    """Return a new row in its stored form."""
    line = None if new.line is None else orjson.dumps(new.line)
    row = pack(new.sheet, new.row_number, orjson.dumps(new.cells), line, new.problems)
    return row._replace(business_key=new.business_key, follows_id=new.follows_id, run_competence=new.run_competence)


def pack(
    sheet: str,
    row_number: int,
    cells: bytes,
    line: bytes | None,
    problems: Sequence[Problem],
    *,
    run_competence: str | None = None,
) -> PackedRow:
    """Return the stored form of a row that corrects no other. `cells` and `line` are JSON bytes already."""
    packed_problems = orjson.dumps([problem.to_json() for problem in problems]) if problems else b"[]"
    return PackedRow(
        sheet, row_number, _REFUSED if problems else _READ, cells, line, packed_problems, None, None, run_competence
    )


def resolve_rows(
    conn: sa.Connection, parties: Mapping[int, Parties], *, keys: Mapping[int, str] | None = None
) -> list[int]:
    """Move rows read → resolved, and store their parties, and the business key if given. Return the ids that moved."""
    if not parties:
        return []
    given = [
        (row_id, each.emitter_id, each.taker_id, each.template_id, (keys or {}).get(row_id))
        for row_id, each in parties.items()
    ]
    return transitions.move(
        conn,
        list(parties),
        was=RowState.READ,
        becomes=RowState.RESOLVED,
        because="parties known",
        change=_RESOLUTION,
        given=given,
    )


def refuse_rows(conn: sa.Connection, problems: Mapping[int, Sequence[Problem]], *, because: str) -> list[int]:
    """Move rows read | resolved → refused, and add the problems to them. Return the ids that moved."""
    refusable = [str(RowState.READ), str(RowState.RESOLVED)]
    query = sa.select(_t.c.id, _t.c.problems).where(is_in(conn, _t.c.id, list(problems)), _t.c.state.in_(refusable))
    rows = [
        (row.id, [*row.problems, *(problem.to_json() for problem in problems[row.id])])
        for row in conn.execute(query.order_by(_t.c.id).with_for_update())
    ]
    if not rows:
        return []
    given = values(conn, "given", {"id": sa.BigInteger(), "problems": sa.JSON()}, rows)
    conn.execute(sa.update(_t).where(_t.c.id == given.c.id).values(problems=given.c.problems))
    ids = [row_id for row_id, _ in rows]
    moved = transitions.move(conn, ids, was=RowState.READ, becomes=RowState.REFUSED, because=because)
    return sorted(moved + transitions.move(conn, ids, was=RowState.RESOLVED, becomes=RowState.REFUSED, because=because))


def rows_of(
    conn: sa.Connection, reading_id: int, state: RowState | None = None, *, after: int = 0, limit: int = 5000
) -> list[RowRecord]:
    """Return at most `limit` rows of a reading with an id above `after`, by id. None: in any state."""
    query = sa.select(*_RECORD).where(_t.c.reading_id == reading_id, _t.c.id > after).order_by(_t.c.id).limit(limit)
    if state is not None:
        query = query.where(_t.c.state == str(state))
    return [_record(row) for row in conn.execute(query)]


def samples_of(conn: sa.Connection, file_id: int, sheet: str, *, limit: int) -> list[RowRecord]:
    """Return the first `limit` rows of a file's sheet, in any state. Each comes from its newest reading."""
    is_there = _t.c.reading_id.in_(files.finished_readings_query(file_id))
    newest = sa.select(sa.func.max(_t.c.id)).where(is_there, _t.c.sheet == sheet)
    first = newest.group_by(_t.c.row_number).order_by(_t.c.row_number).limit(limit)
    query = sa.select(*_RECORD).where(_t.c.id.in_(first)).order_by(_t.c.row_number)
    return [_record(row) for row in conn.execute(query)]


def lines_of(conn: sa.Connection, reading_id: int, state: RowState, *, after: int, limit: int) -> list[RowRecord]:
    """Return rows like `rows_of`, in one state and with empty `cells`."""
    query = sa.select(*_BARE).where(_t.c.reading_id == reading_id, _t.c.state == str(state), _t.c.id > after)
    found = conn.execute(query.order_by(_t.c.id).limit(limit))
    return [_record((*row[:_CELLS], {}, *row[_CELLS:])) for row in found]


def problems_of(conn: sa.Connection, reading_id: int, *, after: int, limit: int) -> list[RowProblems]:
    """Return at most `limit` refused rows of a reading with an id above `after`, by id: only numbers and problems."""
    query = sa.select(_t.c.id, _t.c.row_number, _t.c.problems).where(
        _t.c.reading_id == reading_id, _t.c.state == _REFUSED, _t.c.id > after
    )
    found = conn.execute(query.order_by(_t.c.id).limit(limit))
    return [RowProblems(row[0], row[1], [Problem.from_json(each) for each in row[2]]) for row in found]


def largest(conn: sa.Connection, reading_id: int, state: RowState, field: str) -> dict[int, int]:
    """Return the largest integer of `field` in the lines of a reading's rows in one state, by template id."""
    # A row may have an amount beyond the databases' integers, although no invoice can.
    highest = sa.func.max(_t.c.line[field].as_numeric(30, 0))
    query = sa.select(_t.c.template_id, highest).where(_t.c.reading_id == reading_id, _t.c.state == str(state))
    return {row[0]: int(row[1]) for row in conn.execute(query.group_by(_t.c.template_id))}


def numbers_of(conn: sa.Connection, reading_id: int, ids: Collection[int]) -> dict[int, int]:
    """Return the row numbers of these rows by id; skip rows of other readings."""
    query = sa.select(_t.c.id, _t.c.row_number).where(is_in(conn, _t.c.id, ids), _t.c.reading_id == reading_id)
    return {row.id: row.row_number for row in conn.execute(query)}


def rows_at(conn: sa.Connection, file_id: int, *, row_number: int, sheet: str | None = None) -> list[RowRecord]:
    """Return the rows with this row number in a file's finished readings, oldest first. None: in any sheet."""
    is_there = sa.and_(_t.c.reading_id.in_(files.finished_readings_query(file_id)), _t.c.row_number == row_number)
    query = sa.select(*_RECORD).where(is_there).order_by(_t.c.id)
    if sheet is not None:
        query = query.where(_t.c.sheet == sheet)
    return [_record(row) for row in conn.execute(query)]


def rows_by_ids(conn: sa.Connection, ids: Sequence[int]) -> list[RowRecord]:
    """Return these rows, by id."""
    return rows_where(conn, is_in(conn, _t.c.id, ids))


def rows_where(conn: sa.Connection, condition: sa.ColumnElement[bool]) -> list[RowRecord]:
    """Return the rows that meet a condition, by id. For this package only."""
    return [_record(row) for row in conn.execute(sa.select(*_RECORD).where(condition).order_by(_t.c.id))]


def stalled_readings(conn: sa.Connection, *, idle_s: float) -> list[int]:
    """Return the finished readings with rows or drafts left on which no process works.

    No process works on a reading whose process has ended on this machine, or sent no heartbeat for `idle_s` seconds.
    """
    readings = tables.readings
    # One index search for each reading and each draft without a batch, however many rows there are.
    undone = sa.exists().where(
        _t.c.reading_id == readings.c.id, _t.c.state.in_([str(RowState.READ), str(RowState.RESOLVED)])
    )
    is_loose = sa.and_(_invoices.c.batch_id.is_(None), _invoices.c.state == str(InvoiceState.DRAFTED))
    drafted = sa.select(_t.c.reading_id).join(_invoices, _invoices.c.row_id == _t.c.id).where(is_loose)
    is_silent = files.is_silent(conn, idle_s=idle_s)
    query = sa.select(readings.c.id, readings.c.worker, is_silent.label("is_silent")).where(
        readings.c.finished_at.is_not(None), sa.or_(undone, readings.c.id.in_(drafted))
    )
    found = conn.execute(query.order_by(readings.c.id))
    return [row.id for row in found if row.is_silent or has_ended(row.worker or "")]


def count_rows(conn: sa.Connection, reading_id: int) -> dict[RowState, int]:
    query = sa.select(_t.c.state, sa.func.count()).where(_t.c.reading_id == reading_id).group_by(_t.c.state)
    return {RowState(state): count for state, count in conn.execute(query)}


def row_locations(conn: sa.Connection, reading_id: int) -> set[tuple[str, int]]:
    """Return (sheet, row number) of every row of a reading."""
    query = sa.select(_t.c.sheet, _t.c.row_number).where(_t.c.reading_id == reading_id)
    return {(row.sheet, row.row_number) for row in conn.execute(query)}


def living_row_locations(
    conn: sa.Connection, file_id: int, *, run_competence: str | None = None
) -> set[tuple[str, int]]:
    """Return (sheet, row number) of this file's rows that have a living invoice, in any reading.

    With `run_competence`, leave out rows that a run billed for another month.
    """
    query = (
        sa.select(_t.c.sheet, _t.c.row_number)
        .join(_invoices, _invoices.c.row_id == LEADER)
        .where(_t.c.reading_id.in_(files.finished_readings_query(file_id)), _invoices.c.is_living)
    )
    if run_competence is not None:
        query = query.where(sa.or_(_t.c.run_competence.is_(None), _t.c.run_competence == run_competence))
    return {(row.sheet, row.row_number) for row in conn.execute(query)}


def rows_taken_back(conn: sa.Connection, file_id: int) -> dict[int, int]:
    """Return how many of this file's rows have a living invoice in each batch that a person is discarding, by batch."""
    query = (
        sa.select(_batches.c.id, sa.func.count())
        .select_from(_t)
        .join(_invoices, _invoices.c.row_id == LEADER)
        .join(_batches, _batches.c.id == _invoices.c.batch_id)
        .where(_t.c.reading_id.in_(files.finished_readings_query(file_id)), _invoices.c.is_living)
        .where(_batches.c.state == str(BatchState.DISCARDING), ~_batches.c.renews)
    )
    found = conn.execute(query.group_by(_batches.c.id).order_by(_batches.c.id))
    return {row.id: row[1] for row in found}


def _record(row: Iterable[Any]) -> RowRecord:
    values = list(row)
    values[_STATE] = RowState(values[_STATE])
    values[_PROBLEMS] = [Problem.from_json(each) for each in values[_PROBLEMS]]
    return RowRecord(*values)


_NAMES: Final = [field.name for field in fields(RowRecord)]
_RECORD: Final = [_t.c[name] for name in _NAMES]
LOCATION: Final = [_t.c[name] for name in RowLocation._fields]
_CELLS: Final = _NAMES.index("cells")
_BARE: Final = [column for column in _RECORD if column is not _t.c.cells]
_STATE: Final = _NAMES.index("state")
_PROBLEMS: Final = _NAMES.index("problems")


def _parties_known(_conn: sa.Connection, given: sa.FromClause) -> dict[str, Any]:
    known = {name: given.c[name] for name in ("emitter_id", "taker_id", "template_id")}
    return {**known, "business_key": sa.func.coalesce(given.c.business_key, _t.c.business_key)}


_RESOLUTION: Final = transitions.Change(
    _t,
    given={
        "id": sa.BigInteger(),
        "emitter_id": sa.BigInteger(),
        "taker_id": sa.BigInteger(),
        "template_id": sa.BigInteger(),
        "business_key": sa.Text(),
    },
    news=_parties_known,
)
