"""Parse the rows of one sheet into typed values, or into every problem of a row: what all kinds of sheets share."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.column_parser import Parse, Taken, by_column, parse_columns
from connectors.spreadsheets.formats.marks import column_index, column_letter
from connectors.spreadsheets.formats.sheets import Cell, Covered, Row
from connectors.spreadsheets.holding import Holding
from connectors.spreadsheets.places import Cities, Places
from domain.decisions import Decisions
from domain.documents import ParsedDocument, parse_document
from domain.names import likely_kind
from domain.parties import TakerData
from domain.problems import Problem, Where
from domain.texts import folded

ROW_AS_A_WHOLE: Final = 1 << 20
TAKER_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                      "neighborhood")  # fmt: skip
_TAKER: Final = (*TAKER_WORDS, "document", "emails", "phone", "zip_code", "city_code", "city", "state")

QUOTED: Final = 60
_TELLING: Final = ("document", "name", "service_cents", "template_name", "description", "line_cents", "order_key")
"""Fields that name customer and charge: where one is struck through, the row is."""
_DOUBTS: Final = frozenset({"document.ambiguous", "document.length"})
RELEASABLE: Final = frozenset({
    "held.status", "held.billed", "held.invoiced", "held.paid", "held.notes", "held.comment", "held.struck",
    "held.section", "held.month", "held.merged_amount",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds for rows that do not say it themselves: the emitter's CNPJ, the competence's first day.

    `takes_hidden_rows`: bill a hidden or filtered row like any other, else hold it back. `prints_notes`: the house's
    own notes (`Obs`) go onto the invoice.
    """

    emitter_cnpj: str | None = None
    competence: date | None = None
    takes_hidden_rows: bool = False
    template_name: str | None = None
    prints_notes: bool = False


@dataclass(slots=True, kw_only=True)
class SheetReader(ABC):
    """Parse the cells of one sheet. A subclass names the fields of its kind and their parsers.

    `columns` are column indexes and `locales` ways of writing numbers, both by field. `has_serials`: a bare number in a
    date column may count days from 1900. `width`: rows with more cells than so many are shifted; None where a cell says
    itself in which column it stands. `holding` is what the sheet says about which rows are to be billed, `releases`
    whether its column of wishes releases a row that is held, `decisions` where what was decided for a row is told.
    """

    sheet: str
    columns: Mapping[str, int]
    locales: Mapping[str, str | None]
    defaults: Defaults
    cities: Cities
    has_serials: bool
    width: int | None = None
    holding: Holding = dataclasses.field(default_factory=Holding)
    releases: bool = False
    decisions: Decisions = dataclasses.field(default_factory=Decisions)
    has_merges: bool = False
    _above: tuple[Cell, ...] = dataclasses.field(init=False, default=())
    _telling: frozenset[int] = dataclasses.field(init=False)
    _worded: tuple[tuple[str, int], ...] = dataclasses.field(init=False)
    _own: tuple[Taken, ...] = dataclasses.field(init=False)
    _taker: tuple[Taken, ...] = dataclasses.field(init=False)
    places: Places = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        parsers = self.parsers()
        self.places = Places(self.cities)
        self._own = self._columns_of(field for field in parsers if field not in _TAKER)
        self._taker = self._columns_of(field for field in parsers if field in _TAKER)
        self._worded = self.holding.worded
        self._telling = frozenset(self.columns[each] for each in _TELLING if each in self.columns)

    @property
    def not_repeated(self) -> frozenset[str]:
        """Fields whose value in a cell that is merged over several rows is not that of each row."""
        return frozenset()

    @abstractmethod
    def parsers(self) -> Mapping[str, Parse]:
        """Return the parser of each field that this kind of sheet may have."""

    def taker_parsers(self) -> dict[str, Parse]:
        """Return the parsers of the fields that describe a customer."""
        return dict.fromkeys((*TAKER_WORDS, "city_code", "city"), self.words) | {
            "document": self.document,
            "emails": self.emails,
            "phone": self.phone,
            "zip_code": self.zip_code,
            "state": self.state,
        }

    def take(self, rows: Sequence[Row]) -> "list[RowTaking]":
        """Parse every cell of these rows that has a field."""
        takings = [RowTaking(self, row) for row in rows]
        if self.has_merges:
            for taking in takings:
                self._fill_down(taking)
        fitting = takings if self.width is None else [taking for taking in takings if self._fits(taking)]
        found = by_column([taking.row for taking in fitting])
        own = parse_columns(self._own, found, count=len(fitting))
        taker = parse_columns(self._taker, found, count=len(fitting))
        for taking, values, taker_values in zip(fitting, own.values, taker.values, strict=True):
            taking.values, taking.taker_values = values, taker_values
        for place, field, cell in (*own.rounded, *taker.rounded):
            fitting[place].tell("amount.shown_rounded", field, text=figures.shown(cell))
        for place, field, problem in (*own.problems, *taker.problems):
            fitting[place].add(problem, field)
        holding = self.holding.narrowed(found)
        for taking in fitting:
            self._judge(taking, holding)
        return takings

    def _fits(self, taking: "RowTaking") -> bool:
        """Return whether the cells stand under their headers; a row with too many of them is blamed for it."""
        row = taking.row
        if self.width is None or len(row.cells) <= self.width:
            return True
        code = "row.wider_comma" if _has_cut_amount(row, self.columns) else "row.wider"
        taking.blame(code, None, cells=len(row.cells), columns=self.width)
        taking.is_shifted = True
        return False

    def _judge(self, taking: "RowTaking", holding: Holding) -> None:
        """Blame a row that the sheet hides, that it asks not to bill, or that speaks against being billed.

        `holding` is what the sheet says of this row's block.
        """
        row = taking.row
        if row.is_hidden and not self.defaults.takes_hidden_rows:
            taking.blame("row.hidden", None)
        wanted = taking.values.pop("is_wanted", None)
        if "is_wanted" in self.columns:
            if wanted is False:
                taking.blame("row.not_wanted", "is_wanted")
            elif wanted is None:
                taking.require("is_wanted", "row.required")
        taking.is_released = (self.releases and wanted is True) or taking.values.get("is_released") is True
        if row.comments or row.struck or holding.is_needed:
            self._hold(taking, holding)
        self._tell_words(taking)

    def _fill_down(self, taking: "RowTaking") -> None:
        """Repeat what stands in a cell merged over several rows, unless it is an amount: whose it is, nobody says."""
        filled = list(taking.row.cells)
        for field, index in (*self.columns.items(), *self.holding.signs):
            if index < len(filled) and isinstance(filled[index], Covered) and field not in self.not_repeated:
                filled[index] = self._above[index] if index < len(self._above) else None
                taking.tell("row.filled_down", index)
        self._above = tuple(filled)
        taking.row = taking.row._replace(cells=self._above)

    def _hold(self, taking: "RowTaking", holding: Holding) -> None:
        """Hold the row for what it says against being billed, or tell that a person released it all the same."""
        has_month = "competence" in taking.values
        for problem, index in holding.reasons(taking.row, self._telling, has_month=has_month):
            if taking.is_released and problem.code in RELEASABLE:
                taking.tell("row.released", index, text=str(problem.params.get("text", "")))
            else:
                taking.add_at(problem, index)

    def _tell_words(self, taking: "RowTaking") -> None:
        """Tell which words and marks beside the values a row that is billed has."""
        row = taking.row
        for name, index in self._worded:
            cell = row.cells[index] if index < len(row.cells) else None
            if cell is None or cells.is_blank(cell):
                continue
            if name == "status":
                taking.tell("row.status_said", index, text=cells.as_text(cell)[:QUOTED])
            elif self.defaults.prints_notes:
                taking.print_note(cell)
            else:
                taking.tell("row.notes_unprinted", index)
        if row.struck:
            taking.tell("row.struck_cell", min(row.struck))
        for index, _ in row.comments:
            taking.tell("row.comment", index)

    def amount(self, cell: Cell, field: str) -> int | Problem:
        return figures.parse_amount(cell, self.locales.get(field))

    def rate(self, cell: Cell, field: str) -> int | Problem:
        return figures.parse_rate(cell, self.locales.get(field))

    def figure(self, cell: Cell, field: str) -> Decimal | Problem:
        return figures.parse_decimal_figure(cell, self.locales.get(field))

    def month(self, cell: Cell, _: str) -> date | Problem:
        return cells.parse_month(cell, has_serials=self.has_serials, near=self.defaults.competence)

    def instant(self, cell: Cell, _: str) -> datetime | Problem | None:
        return cells.parse_instant(cell, has_serials=self.has_serials)

    def document(self, cell: Cell, _: str) -> ParsedDocument | Problem:
        return parse_document(cells.as_text(cell))

    def cnpj(self, cell: Cell, field: str) -> str | Problem:
        found = parse_document(cells.as_text(cell))
        if isinstance(found, Problem):
            return found
        if found.document.kind != "cnpj":
            return Problem("document.invalid", field)
        return found.document.number

    def yes_no(self, cell: Cell, _: str) -> bool | Problem:
        return cells.parse_yes_no(cell)

    def emails(self, cell: Cell, _: str) -> tuple[str, ...] | Problem:
        return cells.parse_emails(cell)

    def phone(self, cell: Cell, _: str) -> str | Problem | None:
        return cells.parse_phone(cell)

    def zip_code(self, cell: Cell, _: str) -> str | Problem | None:
        return cells.parse_zip_code(cell)

    def state(self, cell: Cell, _: str) -> str | Problem:
        return cells.parse_state(cell)

    def words(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field)

    def paragraph(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field, keep_lines=True)

    def _columns_of(self, fields: Iterable[str]) -> tuple[Taken, ...]:
        parsers, texts = self.parsers(), (self.words, self.paragraph)
        return tuple(
            Taken(
                field,
                self.columns[field],
                parsers[field],
                is_text=parsers[field] in texts,
                known=None if parsers[field] in (*texts, self.amount) else {},
            )
            for field in fields
            if field in self.columns
        )


class RowTaking:
    """The values of one row by field, and every problem found so far. A field that the row does not say is absent.

    `is_shifted`: the cells stand under the wrong headers, so that nothing else can be said of them.
    """

    __slots__ = ("_reader", "is_released", "is_shifted", "problems", "remarks", "row", "taker_values", "values")

    def __init__(self, reader: SheetReader, row: Row) -> None:
        self._reader = reader
        self.row = row
        self.values: dict[str, Any] = {}
        self.taker_values: dict[str, Any] = {}
        # Nearly no row has any: two lists for each would be two more objects for the collector to look through.
        self.problems: tuple[Problem, ...] = ()
        self.remarks: tuple[Problem, ...] = ()
        self.is_shifted = False
        self.is_released = False

    def in_column_order(self) -> tuple[Problem, ...]:
        """Return the problems as the eye meets them, those of the whole row last."""
        return tuple(sorted(self.problems, key=_column_of))

    def taker(self, *, is_required: bool = True) -> TakerData:
        """Return the customer of the row; `is_required`: a row without a document is a problem."""
        return TakerData(**self.customer(is_required=is_required))

    def customer(self, *, is_required: bool = True) -> dict[str, Any]:
        """Return what the row says of its customer by field of `TakerData`, `is_required` as for `taker`."""
        found = self.taker_values
        parsed = found.pop("document", None) or self._document_by_name(found.get("name"))
        if parsed is not None:
            found["document"] = parsed.document
            if parsed.is_repaired:
                self.tell("document.repaired", "document", document=parsed.document.masked)
        elif is_required:
            self.require("document", "document.missing")
        self.locate(found)
        return found

    def _document_by_name(self, name: str | None) -> ParsedDocument | None:
        """Return the document that the customer's name decides: a company has a CNPJ, a person a CPF."""
        doubt = next((each for each in self.problems if each.field == "document" and each.code in _DOUBTS), None)
        likely = None if name is None else likely_kind(name)
        if doubt is None or likely is None:
            return None
        found = parse_document(cells.as_text(self.cell("document")), likely=likely)
        if isinstance(found, Problem):
            return None
        self.problems = tuple(each for each in self.problems if each is not doubt)
        return found

    def locate(self, values: dict[str, Any]) -> None:
        """Replace city, state and city code by what the reference table has of them."""
        city = values.pop("city", None)
        place = self._reader.places.place(values.pop("city_code", None), city, values.pop("state", None))
        if isinstance(place, Problem):
            self.add(place, place.field)
            return
        values.update(place)
        known = place.get("city")
        if city and known and city != known and folded(known) not in folded(city) and not city.isdecimal():
            self.tell("city.known_as", "city", text=city[:QUOTED], city=f"{known} - {place['state']}")

    def cell(self, field: str) -> Cell:
        """Return the cell of a field, None where the row or the sheet has none."""
        index = self._reader.columns.get(field)
        return None if index is None or index >= len(self.row.cells) else self.row.cells[index]

    def require(self, field: str, code: str) -> None:
        """Add the problem `code`, unless the field's cell has a problem already."""
        if not any(each.field == field for each in self.problems):
            self.blame(code, field)

    def tell(self, code: str, place: int | str | None, **params: str | int) -> None:
        """Tell what was decided about a cell (by its column or field) of a row that is billed."""
        index = self._reader.columns.get(place) if isinstance(place, str) else place
        letter = None if index is None else column_letter(index)
        where = Where(sheet=self._reader.sheet, row=self.row.number, column=letter)
        header = "" if index is None else self._reader.holding.headers.get(index, "")
        field = place if isinstance(place, str) else None
        self.remarks += (Problem(code, field, where, {"header": header, **params}),)

    def told(self) -> None:
        """Hand on what was told, of a row that is billed."""
        for remark in self.remarks:
            self._reader.decisions.take(remark)

    def print_note(self, cell: Cell) -> None:
        """Put a note of the house onto the invoice."""
        said = cells.parse_text(cell, "observations", keep_lines=True)
        if isinstance(said, Problem):
            self.add(said, "observations")
        else:
            self.values["observations"] = " | ".join(filter(None, (self.values.get("observations"), said)))

    def add_at(self, problem: Problem, index: int | None) -> None:
        """Add a problem at a column."""
        letter = None if index is None else column_letter(index)
        where = Where(sheet=self._reader.sheet, row=self.row.number, column=letter)
        self.problems += (dataclasses.replace(problem, where=where),)

    def blame(self, code: str, field: str | None, **params: str | int) -> None:
        """Add a problem of this row."""
        self.add(Problem(code, field, params=params), field)

    def add(self, problem: Problem, field: str | None) -> None:
        """Add a problem at the cell of `field`, or of the whole row."""
        if self.is_shifted:
            return
        index = None if field is None else self._reader.columns.get(field)
        letter = None if index is None else column_letter(index)
        where = Where(sheet=self._reader.sheet, row=self.row.number, column=letter)
        self.problems += (dataclasses.replace(problem, field=field, where=where),)


def _has_cut_amount(row: Row, columns: Mapping[str, int]) -> bool:
    """Whether an amount seems cut at a decimal comma that no quotes protect: `1500` beside `00`."""
    index = columns.get("service_cents", len(row.cells))
    whole, cents = (cells.as_text(cell) for cell in (*row.cells[index : index + 2], None, None)[:2])
    return whole.lstrip("R$ -").replace(".", "").isdecimal() and len(cents) == 2 and cents.isdecimal()


def _column_of(problem: Problem) -> int:
    """Return a sort key; what is wrong with the row as a whole comes last."""
    letter = problem.where.column
    return ROW_AS_A_WHOLE if letter is None else column_index(letter)
