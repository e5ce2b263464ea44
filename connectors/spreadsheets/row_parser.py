"""Parse rows of one sheet into typed values, or into every problem of a row: the shared part of all kinds of sheets."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from connectors.spreadsheets.formats.sheet_metadata import column_index, column_letter
from connectors.spreadsheets.formats.sheets import Cell, Covered, Row
from connectors.spreadsheets.headers.layouts import UNSEEN
from connectors.spreadsheets.holds import validity
from connectors.spreadsheets.holds.held_rows import HoldRules, Reason
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.city_lookup import Cities, CityLookup
from connectors.spreadsheets.parsers.column_parser import Parse, ParsedColumn, by_column, parse_columns
from connectors.spreadsheets.parsers.field_parsers import TAKER_WORDS, FieldParsers
from connectors.spreadsheets.rows.row_facts import has_cut_amount
from domain.decisions import Decisions
from domain.problems import Problem, Where

_Remark: TypeAlias = tuple[str, str | None, str | None, Mapping[str, str | int]]
"""A remark: its code, field, column letter, and the parameters of its message."""
_UNPRINTED: Final = "row.notes_unprinted"
ROW_AS_A_WHOLE: Final = 1 << 20
_TAKER: Final = (*TAKER_WORDS, "document", "emails", "phone", "zip_code", "city_code", "city", "state")

QUOTED: Final = 60
RELEASING: Final = "Faturar"
"""The header of a column that releases held rows."""
_IDENTIFYING: Final = ("document", "name", "service_cents", "template_name", "description", "line_cents", "order_key")
"""Fields of customer and charge: a struck-through cell of one of them holds the row."""
_STRUCK: Final = "held.struck"
_PART_STRUCK: Final = "held.part_struck"
_COMMENT: Final = "held.comment"
_MARKS: Final = frozenset({_STRUCK, _PART_STRUCK, _COMMENT})
RELEASABLE: Final = frozenset({
    "held.status", "held.billed", "held.invoiced", "held.paid", "held.notes", "held.comment", "held.struck",
    "held.part_struck", "held.colour", "held.emitter", "held.entry", "held.goods",
    "held.section", "held.month", "held.merged_amount", "held.unit", "held.kind", "held.currency", "held.validity",
    "held.side_amount", "held.credit", "held.footnote", "held.named", "held.other_document",
    "held.goods_column", "held.rounded", "held.set", "held.sum",
    "held.status_unknown", "held.line_twice", "held.far_date", "held.listed", "held.in_words",
})  # fmt: skip


@dataclass(slots=True, kw_only=True)
class SheetReader(FieldParsers, ABC):
    """Parses the cells of one sheet. A subclass defines the fields of its kind and their parsers.

    `columns` are column indexes by field. `width` is the most cells of a row, because a longer row is shifted; None if
    each cell states its own column. `holding` are the sheet's facts about which rows to bill, `releases` whether its
    billing column releases a held row, `decisions` collects the remarks about billed rows.
    """

    sheet: str
    columns: Mapping[str, int]
    cities: Cities
    width: int | None = None
    holding: HoldRules = dataclasses.field(default_factory=HoldRules)
    releases: bool = False
    decisions: Decisions = dataclasses.field(default_factory=Decisions)
    has_merges: bool = False
    _above: tuple[Cell, ...] = dataclasses.field(init=False, default=())
    _identifying: frozenset[int] = dataclasses.field(init=False)
    _worded: tuple[tuple[str, int], ...] = dataclasses.field(init=False)
    _dated: tuple[tuple[str, int], ...] = dataclasses.field(init=False)
    _judges_all: bool = dataclasses.field(init=False)
    _own: tuple[ParsedColumn, ...] = dataclasses.field(init=False)
    _taker: tuple[ParsedColumn, ...] = dataclasses.field(init=False)
    city_lookup: CityLookup = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        parsers = self.parsers()
        self.city_lookup = CityLookup(self.cities)
        self._own = self._columns_of(field for field in parsers if field not in _TAKER)
        self._taker = self._columns_of(field for field in parsers if field in _TAKER)
        self._worded = self.holding.worded
        # A person's N in one of these columns needs no other sign in the row.
        has_answers = not self.columns.keys().isdisjoint(("is_wanted", "is_released"))
        is_asked = has_answers or self.holding.is_of_rows or self.defaults.prints_notes
        self._dated = self.holding.dated
        says_much = bool(self._dated) or any(name != "notes" for name, _ in self._worded)
        self._judges_all = is_asked or says_much
        self._identifying = frozenset(self.columns[each] for each in _IDENTIFYING if each in self.columns)

    @property
    def releasing_header(self) -> str:
        """Return the sheet's header of the column that releases held rows; without one, that of a column to add."""
        return self.holding.headers.get(self.columns["is_wanted"], RELEASING) if self.releases else RELEASING

    @property
    def not_repeated(self) -> frozenset[str]:
        """Return the fields whose value in a merged cell does not apply to each of its rows."""
        return frozenset()

    @abstractmethod
    def parsers(self) -> Mapping[str, Parse]:
        """Return the parser of each field that this kind of sheet may have."""

    def take(self, rows: Sequence[Row]) -> "list[RowValues]":
        """Parse the cells of these rows that have a field, and add problems to rows that must not be billed."""
        parsed_rows = [RowValues(self, row) for row in rows]
        if self.has_merges:
            for row_values in parsed_rows:
                self._fill_down(row_values)
        fitting = (
            parsed_rows if self.width is None else [row_values for row_values in parsed_rows if self._fits(row_values)]
        )
        found = by_column([row_values.row for row_values in fitting])
        own = parse_columns(self._own, found, count=len(fitting))
        taker = parse_columns(self._taker, found, count=len(fitting))
        for row_values, values, taker_values in zip(fitting, own.values, taker.values, strict=True):
            row_values.values, row_values.taker_values = values, taker_values
        for place, field, cell in (*own.rounded, *taker.rounded):
            fitting[place].add_remark("amount.shown_rounded", field, text=number_parser.shown(cell))
        for place, field in (*own.unsaid, *taker.unsaid):
            fitting[place].add_remark("row.says_nothing", field)
        for place, field, problem in (*own.problems, *taker.problems):
            fitting[place].add(problem, field)
        if not self.defaults.prints_notes:
            self._remark_unprinted(fitting, found)
        self._remark_unread_words(fitting, found)
        reasons = self.holding.reasons_in_cells(found)
        for place, row_values in enumerate(fitting):
            row = row_values.row
            if self._judges_all or place in reasons or row.is_hidden or _is_marked(row):
                self._judge(row_values, reasons.get(place, ()))
        return parsed_rows

    def _remark_unprinted(self, parsed_rows: Iterable["RowValues"], found: Sequence[tuple[Cell, ...]]) -> None:
        """Report internal notes, which no invoice prints. Work by column: many sheets have a note in every row."""
        for index in (index for name, index in self._worded if name == "notes"):
            remark = self.remark(_UNPRINTED, index, {"samples": UNSEEN})
            column = found[index] if index < len(found) else ()
            notes = {cell for cell in set(column) if not cells.is_blank(cell)}
            for row_values, cell in zip(parsed_rows, column, strict=False):
                if cell in notes:
                    row_values.remarks += (remark,)

    def _remark_unread_words(self, parsed_rows: Sequence["RowValues"], found: Sequence[tuple[Cell, ...]]) -> None:
        """Report texts in a column of amounts in words that state none."""
        for place, text, index in self.holding.unread_words(found):
            parsed_rows[place].add_remark("row.in_words_unread", index, listed=f'"{text}"')

    def _fits(self, row_values: "RowValues") -> bool:
        """Return whether the row has no more cells than the header; add a problem if it has."""
        row = row_values.row
        if self.width is None or len(row.cells) <= self.width:
            return True
        code = "row.wider_comma" if has_cut_amount(row, self.columns) else "row.wider"
        row_values.add_problem(code, None, cells=len(row.cells), columns=self.width)
        row_values.is_shifted = True
        return False

    def _judge(self, row_values: "RowValues", reasons: Sequence[Reason]) -> None:
        """Add a problem to a row that is hidden, not wanted, or held by a word or mark of the sheet.

        `reasons` are the reasons in the row's cells.
        """
        row = row_values.row
        if row.is_hidden and not self.defaults.takes_hidden_rows:
            row_values.add_problem("row.hidden", None)
        wanted = row_values.values.pop("is_wanted", None)
        if wanted is False:
            self._leave_out(row_values, "is_wanted")
        elif wanted is None and "is_wanted" in self.columns:
            header = self.holding.headers.get(self.columns["is_wanted"], "")
            row_values.require("is_wanted", "row.wish_blank", header=header)
        if row_values.values.get("is_released") is False:
            self._leave_out(row_values, "is_released")
        if self.releases and wanted is True:
            row_values.released_in = "is_wanted"
        elif row_values.values.get("is_released") is True:
            row_values.released_in = "is_released"
        released: frozenset[tuple[str, int | None]] = frozenset()
        if reasons or _is_marked(row) or self._dated or self.holding.is_of_rows:
            released = self._hold(row_values, [*reasons, *self._outside(row_values)])
        self._remark_words(row_values, released)

    def _leave_out(self, row_values: "RowValues", field: str) -> None:
        """Add the problem of a row that a person does not want billed: the answer No in the column of this field."""
        header = self.holding.headers.get(self.columns[field], "")
        text = cells.as_text(row_values.cell(field))[:QUOTED]
        row_values.add_problem("row.not_wanted", field, header=header, text=text)

    def _outside(self, row_values: "RowValues") -> Iterable[Reason]:
        """Return the problems of columns whose first or last month excludes the row's month."""
        competence = row_values.values.get("competence", self.defaults.competence)
        if competence is None or not self._dated:
            return ()
        headers = self.holding.headers
        return validity.outside(self._dated, headers, row_values.row, competence, has_serials=self.has_serials)

    def _fill_down(self, row_values: "RowValues") -> None:
        """Fill cells below a merged cell with its value, except an amount, which may belong to any of the rows."""
        filled = list(row_values.row.cells)
        for field, index in (*self.columns.items(), *self.holding.signs):
            if index < len(filled) and isinstance(filled[index], Covered) and field not in self.not_repeated:
                filled[index] = self._above[index] if index < len(self._above) else None
                row_values.add_remark("row.filled_down", index)
        self._above = tuple(filled)
        row_values.row = row_values.row._replace(cells=self._above)

    def _hold(self, row_values: "RowValues", reasons: Sequence[Reason]) -> frozenset[tuple[str, int | None]]:
        """Hold the row if it contains a reason not to bill it, or report that a person released it.

        Return (code of the reason, index of its column) for each reason from which the row was released.
        """
        released: set[tuple[str, int | None]] = set()
        marks = self.holding.reasons_of_row(
            row_values.row, self._identifying, has_month="competence" in row_values.values
        )
        for problem, index in (*reasons, *marks):
            if row_values.released_in is not None and problem.code in RELEASABLE:
                row_values.add_release(problem, index)
                released.add((problem.code, index))
            else:
                row_values.add_at(problem, index)
        return frozenset(released)

    def _remark_words(self, row_values: "RowValues", released: Collection[tuple[str, int | None]]) -> None:
        """Add remarks about words and marks of a billed row that are not values, except the reasons in `released`."""
        row = row_values.row
        worded = {index for code, index in released if code not in _MARKS}
        for name, index in self._worded:
            cell = row.cells[index] if index < len(row.cells) else None
            if cell is None or cells.is_blank(cell):
                continue
            if name == "notes" and self.defaults.prints_notes:
                row_values.print_note(cell)
            elif name != "notes" and index not in worded:
                row_values.add_remark("row.status_said", index, text=cells.as_text(cell)[:QUOTED])
        if row.struck and not any(code == _STRUCK for code, _ in released):
            row_values.add_remark("row.struck_cell", min(row.struck))
        if row.part_struck and (_PART_STRUCK, min(row.part_struck)) not in released:
            row_values.add_remark("row.part_struck", min(row.part_struck))
        for index, text in row.comments:
            if (_COMMENT, index) not in released:
                row_values.add_remark("row.comment", index, listed=f'"{" ".join(text.split())[:QUOTED]}"')

    def remark(self, code: str, place: int | str | None, params: Mapping[str, str | int]) -> _Remark:
        """Return a remark about a cell. `place` is the cell's column index, or its field."""
        field, index = (place, self.columns.get(place)) if isinstance(place, str) else (None, place)
        header = "" if index is None else self.holding.headers.get(index, "")
        return code, field, None if index is None else column_letter(index), {"header": header, **params}

    def _columns_of(self, fields: Iterable[str]) -> tuple[ParsedColumn, ...]:
        parsers, texts = self.parsers(), (self.words, self.paragraph)
        amounts = (self.amount, self.optional_amount)
        return tuple(
            ParsedColumn(
                field,
                self.columns[field],
                parsers[field],
                is_text=parsers[field] in texts,
                known=None if parsers[field] in (*texts, self.amount) else {},
                of_numbers=number_parser.cents_of_floats if parsers[field] in amounts else None,
            )
            for field in fields
            if field in self.columns
        )


class RowValues:
    """The values of one row by field, and every problem found so far. A blank field is absent.

    `is_shifted`: the cells are below the wrong headers, so no other problem is added. `released_in`: the field of the
    column in which a person released the row.
    """

    __slots__ = ("is_shifted", "problems", "reader", "released_in", "remarks", "row", "taker_values", "values")

    def __init__(self, reader: SheetReader, row: Row) -> None:
        self.reader = reader
        self.row = row
        self.values: dict[str, Any] = {}
        self.taker_values: dict[str, Any] = {}
        # tuples, because most are empty: two lists a row would be two more objects for the garbage collector
        self.problems: tuple[Problem, ...] = ()
        self.remarks: tuple[_Remark, ...] = ()
        self.is_shifted = False
        self.released_in: str | None = None

    def in_column_order(self) -> tuple[Problem, ...]:
        """Return the problems in column order, those of the whole row last."""
        return tuple(sorted(self.problems, key=_column_of))

    def cell(self, field: str) -> Cell:
        """Return the cell of a field, None if the row or the sheet has none."""
        index = self.reader.columns.get(field)
        return None if index is None or index >= len(self.row.cells) else self.row.cells[index]

    def require(self, field: str, code: str, **params: str | int) -> None:
        """Add the problem `code`, unless the field's cell has a problem already."""
        if not any(each.field == field for each in self.problems):
            self.add_problem(code, field, **params)

    def add_remark(self, code: str, place: int | str | None, **params: str | int) -> None:
        """Add a remark. `place` is the column index or the field of the cell."""
        self.remarks += (self.reader.remark(code, place, params),)

    def add_release(self, held: Problem, index: int | None) -> None:
        """Add the remark that a person released the row from the reason `held` in column `index`."""
        reader = self.reader
        column = reader.holding.headers.get(reader.columns.get(self.released_in or "", -1), "")
        letter = None if index is None else column_letter(index)
        self.remarks = tuple(each for each in self.remarks if (each[0], each[2]) != (_UNPRINTED, letter))
        self.add_remark("row.released", index, **{**held.params, "held": held.code, "column": column})

    def pass_on_remarks(self) -> None:
        """Add the row's remarks to the sheet's `decisions`. Call it only for a billed row."""
        reader = self.reader
        for code, field, letter, params in self.remarks:
            reader.decisions.count_cell(code, field, params, sheet=reader.sheet, row=self.row.number, column=letter)

    def print_note(self, cell: Cell) -> None:
        """Add an internal note to the observations, which the invoice prints."""
        note = cells.parse_text(cell, "observations", keep_lines=True)
        if isinstance(note, Problem):
            self.add(note, "observations")
        else:
            self.values["observations"] = " | ".join(filter(None, (self.values.get("observations"), note)))

    def add_at(self, problem: Problem, index: int | None) -> None:
        """Add a problem at a column. A problem that holds the row also names the column that can release the row."""
        if problem.code.startswith("held."):
            problem = dataclasses.replace(problem, params={**problem.params, "releasing": self.reader.releasing_header})
        letter = None if index is None else column_letter(index)
        where = Where(sheet=self.reader.sheet, row=self.row.number, column=letter)
        self.problems += (dataclasses.replace(problem, where=where),)

    def add_problem(self, code: str, field: str | None, **params: str | int) -> None:
        """Add a problem with this code at the cell of `field`, or of the whole row."""
        self.add(Problem(code, field, params=params), field)

    def add(self, problem: Problem, field: str | None) -> None:
        """Add a problem at the cell of `field`, or of the whole row."""
        if self.is_shifted:
            return
        index = None if field is None else self.reader.columns.get(field)
        self.add_at(dataclasses.replace(problem, field=field), index)


def _is_marked(row: Row) -> bool:
    """Return whether the row's cells have comments or struck-through text."""
    return bool(row.comments or row.struck or row.part_struck)


def _column_of(problem: Problem) -> int:
    """Return a sort key; problems of the whole row come last."""
    letter = problem.where.column
    return ROW_AS_A_WHOLE if letter is None else column_index(letter)
