"""Parse the rows of one sheet into typed values, or into every problem of a row: what all kinds of sheets share."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import repeat
from typing import Any, Final, Protocol

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.column_parser import REMEMBERED, Parse, Taken, by_column, parse_columns
from connectors.spreadsheets.formats.marks import column_index, column_letter
from connectors.spreadsheets.formats.sheets import Cell, Row
from domain.documents import ParsedDocument, parse_document
from domain.parties import TakerData
from domain.problems import Problem, Where

ROW_AS_A_WHOLE: Final = 1 << 20
CITY_CODE_LENGTH: Final = 7
TAKER_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                      "neighborhood")  # fmt: skip
_TAKER: Final = (*TAKER_WORDS, "document", "emails", "phone", "zip_code", "city_code", "city", "state")


class City(Protocol):
    """A municipality as the reference table knows it."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def uf(self) -> str: ...


class Cities(Protocol):
    """The reference table. The caller passes it in, because this package has no reference data of its own."""

    def by_code(self, code: str) -> City | None: ...
    def by_name(self, name: str, uf: str | None) -> Sequence[City]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds for rows that do not say it themselves: the emitter's CNPJ, the competence's first day.

    `takes_hidden_rows`: bill a hidden or filtered row like any other, else hold it back.
    """

    emitter_cnpj: str | None = None
    competence: date | None = None
    takes_hidden_rows: bool = False


@dataclass(slots=True, kw_only=True)
class SheetReader(ABC):
    """Parse the cells of one sheet. A subclass names the fields of its kind and their parsers.

    `columns` are column indexes and `locales` ways of writing numbers, both by field. `has_serials`: a bare number in a
    date column may count days from 1900. `width`: rows with more cells than so many are shifted; None where a cell says
    itself in which column it stands.
    """

    sheet: str
    columns: Mapping[str, int]
    locales: Mapping[str, str | None]
    defaults: Defaults
    cities: Cities
    has_serials: bool
    width: int | None = None
    _own: tuple[Taken, ...] = dataclasses.field(init=False)
    _taker: tuple[Taken, ...] = dataclasses.field(init=False)
    _places: dict[tuple[str | None, ...], dict[str, str | None] | Problem] = dataclasses.field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        parsers = self.parsers()
        self._own = self._columns_of(field for field in parsers if field not in _TAKER)
        self._taker = self._columns_of(field for field in parsers if field in _TAKER)

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
        fitting = [row for row in rows if self.width is None or len(row.cells) <= self.width]
        found = by_column(fitting)
        own = parse_columns(self._own, found, count=len(fitting))
        taker = parse_columns(self._taker, found, count=len(fitting))
        takings = list(map(RowTaking, repeat(self), fitting, own.values, taker.values))
        for place, field, problem in (*own.problems, *taker.problems):
            takings[place].add(problem, field)
        self._hold(takings)
        return takings if len(fitting) == len(rows) else [*self._with_wider(rows, takings)]

    def _with_wider(self, rows: Sequence[Row], takings: "Iterable[RowTaking]") -> "Iterator[RowTaking]":
        """Yield a taking of each row: that of one with too many cells says this alone, for its cells are shifted."""
        coming = iter(takings)
        for row in rows:
            if self.width is None or len(row.cells) <= self.width:
                yield next(coming)
            else:
                taking = RowTaking(self, row, {}, {})
                taking.blame("row.wider", None, cells=len(row.cells), columns=self.width)
                taking.is_shifted = True
                yield taking

    def _hold(self, takings: "Iterable[RowTaking]") -> None:
        """Blame the rows that the sheet hides, or that it asks not to bill."""
        asks = "is_wanted" in self.columns
        for taking in takings:
            if taking.row.is_hidden and not self.defaults.takes_hidden_rows:
                taking.blame("row.hidden", None)
            if asks:
                wanted = taking.values.pop("is_wanted", None)
                if wanted is False:
                    taking.blame("row.not_wanted", "is_wanted")
                elif wanted is None:
                    taking.require("is_wanted", "row.required")

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

    def place(self, code: str | None, city: str | None, state: str | None) -> dict[str, str | None] | Problem:
        """Return city, state and code as the reference table has them. A code says it all; a name may need its state.

        The code may stand in the city's column. `state` is an abbreviation. The problem's field is the column that is
        wrong.
        """
        key = (code, city, state)
        found = self._places.get(key)
        if found is None:
            if len(self._places) >= REMEMBERED:
                self._places.clear()
            found = self._places[key] = self._place(code, city, state)
        return found

    def _place(self, code: str | None, city: str | None, state: str | None) -> dict[str, str | None] | Problem:
        if code is not None:
            return self._place_of(code, city, state, field="city_code")
        if city is not None and len(city) == CITY_CODE_LENGTH and city.isdecimal():
            return self._place_of(city, None, state, field="city")
        if city is None:
            return {} if state is None else {"state": state}
        found = self.cities_named(city, state)
        if len(found) != 1:
            code = "city.ambiguous" if found else "city.unknown"
            return Problem(code, "city", params={"city": city[:60]})
        return {"city": found[0].name, "state": found[0].uf, "city_code": found[0].code}

    def _place_of(
        self, code: str, city: str | None, state: str | None, *, field: str
    ) -> dict[str, str | None] | Problem:
        found = self.cities.by_code(code)
        if found is None:
            return Problem("city.unknown", field, params={"city": code[:60]})
        # a name that the table does not have says nothing; one of another city says that one of the two is wrong
        named = [] if city is None else [each.code for each in self.cities_named(city, None)]
        if state not in (None, found.uf) or (named and found.code not in named):
            said = " - ".join(each for each in (city, state) if each)
            known = f"{found.name} - {found.uf}"
            return Problem("city.contradicts", field, params={"code": code, "city": known, "said": said[:60]})
        return {"city": found.name, "state": found.uf, "city_code": found.code}

    def cities_named(self, city: str, state: str | None) -> Sequence[City]:
        """Return the cities that `São Paulo`, `São Paulo - SP` or a name with a state beside it may mean."""
        known = self.cities.by_name(city, state)
        name, uf = cells.split_place(city)
        if not known and uf is not None and state in (None, uf):
            known = self.cities.by_name(name, uf)
        return known

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

    __slots__ = ("_reader", "is_shifted", "problems", "row", "taker_values", "values")

    def __init__(self, reader: SheetReader, row: Row, values: dict[str, Any], taker_values: dict[str, Any]) -> None:
        self._reader = reader
        self.row = row
        self.values = values
        self.taker_values = taker_values
        # Nearly no row has any: a list for each would be one more object for the collector to look through.
        self.problems: tuple[Problem, ...] = ()
        self.is_shifted = False

    def in_column_order(self) -> tuple[Problem, ...]:
        """Return the problems as the eye meets them, those of the whole row last."""
        return tuple(sorted(self.problems, key=_column_of))

    def taker(self, *, is_required: bool = True) -> TakerData:
        """Return the customer of the row; `is_required`: a row without a document is a problem."""
        return TakerData(**self.customer(is_required=is_required))

    def customer(self, *, is_required: bool = True) -> dict[str, Any]:
        """Return what the row says of its customer by field of `TakerData`, `is_required` as for `taker`."""
        found = self.taker_values
        parsed = found.pop("document", None)
        if parsed is not None:
            found["document"] = parsed.document
        elif is_required:
            self.require("document", "document.missing")
        self.locate(found)
        return found

    def locate(self, values: dict[str, Any]) -> None:
        """Replace city, state and city code by what the reference table has of them."""
        place = self._reader.place(values.pop("city_code", None), values.pop("city", None), values.pop("state", None))
        if isinstance(place, Problem):
            self.add(place, place.field)
        else:
            values.update(place)

    def cell(self, field: str) -> Cell:
        """Return the cell of a field, None where the row or the sheet has none."""
        index = self._reader.columns.get(field)
        return None if index is None or index >= len(self.row.cells) else self.row.cells[index]

    def require(self, field: str, code: str) -> None:
        """Add the problem `code`, unless the field's cell has a problem already."""
        if not any(each.field == field for each in self.problems):
            self.blame(code, field)

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


def _column_of(problem: Problem) -> int:
    """Return a sort key; what is wrong with the row as a whole comes last."""
    letter = problem.where.column
    return ROW_AS_A_WHOLE if letter is None else column_index(letter)
