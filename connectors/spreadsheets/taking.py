"""Takes typed values off the cells of one row, noting every problem with its cell; what all kinds of sheets share."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final, Protocol

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.marks import column_index, column_letter
from connectors.spreadsheets.formats.sheets import Cell, Row
from domain.documents import ParsedDocument, parse_document
from domain.parties import TakerData
from domain.problems import Problem, Where

ROW_AS_A_WHOLE: Final = 1 << 20
CITY_CODE_LENGTH: Final = 7
TAKER_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                      "neighborhood")  # fmt: skip

# the same customers come again row after row
_document_of = lru_cache(maxsize=8192)(parse_document)


class City(Protocol):
    """A municipality as the reference table knows it."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def uf(self) -> str: ...


class Cities(Protocol):
    """The reference table, passed in: this package has no reference data of its own."""

    def by_code(self, code: str) -> City | None: ...
    def by_name(self, name: str, uf: str | None) -> Sequence[City]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds for rows that do not say it themselves: the emitter's CNPJ, the competence's first day.

    `takes_hidden_rows`: a row that is hidden or filtered away is billed like any other, else it is held back.
    `uses_hidden_columns`: a hidden column is read like any other, else it is as if it were not there.
    """

    emitter_cnpj: str | None = None
    competence: date | None = None
    takes_hidden_rows: bool = False
    uses_hidden_columns: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetReader:
    """What is the same for every row of a sheet: columns and ways of writing numbers by field."""

    sheet: str
    columns: Mapping[str, int]
    locales: Mapping[str, str | None]
    defaults: Defaults
    cities: Cities
    has_serials: bool
    _places: dict[tuple[str, str | None], Sequence[City]] = dataclasses.field(default_factory=dict)

    def amount(self, cell: Cell, field: str) -> int | Problem:
        return figures.parse_amount(cell, self.locales.get(field))

    def rate(self, cell: Cell, field: str) -> int | Problem:
        return figures.parse_rate(cell, self.locales.get(field))

    def month(self, cell: Cell, _: str) -> date | Problem:
        return cells.parse_month(cell, has_serials=self.has_serials)

    def instant(self, cell: Cell, _: str) -> datetime | Problem:
        return cells.parse_instant(cell, has_serials=self.has_serials)

    def document(self, cell: Cell, _: str) -> ParsedDocument | Problem:
        return _document_of(cells.as_text(cell))

    def cnpj(self, cell: Cell, field: str) -> str | Problem:
        found = _document_of(cells.as_text(cell))
        if isinstance(found, Problem):
            return found
        if found.document.kind != "cnpj":
            return Problem("document.invalid", field)
        return found.document.number

    def yes_no(self, cell: Cell, _: str) -> bool | Problem:
        return cells.parse_yes_no(cell)

    def emails(self, cell: Cell, _: str) -> tuple[str, ...] | Problem:
        return cells.parse_emails(cell)

    def phone(self, cell: Cell, _: str) -> str | Problem:
        return cells.parse_phone(cell)

    def zip_code(self, cell: Cell, _: str) -> str | Problem:
        return cells.parse_zip_code(cell)

    def state(self, cell: Cell, _: str) -> str | Problem:
        return cells.parse_state(cell)

    def words(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field)

    def paragraph(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field, keep_lines=True)

    def place(self, code: str | None, city: str | None, state: str | None) -> dict[str, str | None] | Problem:
        """City, state and code as the reference table has them. A code says it all; a name may need its state.

        The code may stand in the city's column. `state` is an abbreviation. The problem's field is the column that is
        wrong.
        """
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
        """The cities that `São Paulo`, `São Paulo - SP` or a name with a state beside it may mean."""
        known = self._places.get((city, state))
        if known is None:
            known = self.cities.by_name(city, state)
            name, uf = cells.split_place(city)
            if not known and uf is not None and state in (None, uf):
                known = self.cities.by_name(name, uf)
            self._places[city, state] = known
        return known


class RowTaking:
    """One row being read. `problems` grow as values are taken; a value with a problem is None."""

    def __init__(self, reader: SheetReader, row: Row) -> None:
        self._reader = reader
        self._row = row
        self.problems: list[Problem] = []

    def in_column_order(self) -> tuple[Problem, ...]:
        """The problems as the eye meets them, those of the whole row last."""
        return tuple(sorted(self.problems, key=_column_of))

    def _check_wanted(self) -> None:
        if self._row.is_hidden and not self._reader.defaults.takes_hidden_rows:
            self._blame("row.hidden", None)
        if "is_wanted" in self._reader.columns:
            wanted = self._take("is_wanted", self._reader.yes_no)
            if wanted is False:
                self._blame("row.not_wanted", "is_wanted")
            elif wanted is None and cells.is_blank(self._cell("is_wanted")):
                self._blame("row.required", "is_wanted")

    def _taker(self, *, is_required: bool = True) -> TakerData:
        reader = self._reader
        document = self._take("document", reader.document)
        if document is None and is_required and not self._is_blamed("document"):
            self._blame("document.missing", "document")
        words = {field: self._take(field, reader.words) for field in TAKER_WORDS}
        return TakerData(
            document=document.document if document else None,
            emails=self._take("emails", reader.emails) or (),
            phone=self._take("phone", reader.phone),
            zip_code=self._take("zip_code", reader.zip_code),
            **words,
            **self._place(),
        )

    def _place(self) -> dict[str, str | None]:
        state = self._take("state", self._reader.state)
        city = self._take("city", self._reader.words)
        code = self._take("city_code", self._reader.words)
        found = self._reader.place(code, city, state)
        if isinstance(found, Problem):
            self._add(found, found.field)
            return {}
        return found

    def _cell(self, field: str) -> Cell:
        index = self._reader.columns.get(field)
        return None if index is None or index >= len(self._row.cells) else self._row.cells[index]

    def _take(self, field: str, parse: Callable[[Cell, str], Any]) -> Any:
        """The value of a field; None when the cell is blank or has a problem, which is then noted."""
        if field not in self._reader.columns:
            return None
        cell = self._cell(field)
        found = cells.unusable(cell) or (None if cells.is_blank(cell) else parse(cell, field))
        if isinstance(found, Problem):
            self._add(found, field)
            return None
        return found

    def _or_default(self, field: str, parse: Callable[[Cell, str], Any], default: Any) -> Any:
        return default if cells.is_blank(self._cell(field)) else self._take(field, parse)

    def _is_blamed(self, field: str) -> bool:
        return any(each.field == field for each in self.problems)

    def _blame(self, code: str, field: str | None) -> None:
        self._add(Problem(code, field), field)

    def _add(self, problem: Problem, field: str | None) -> None:
        index = None if field is None else self._reader.columns.get(field)
        letter = None if index is None else column_letter(index)
        where = Where(sheet=self._reader.sheet, row=self._row.number, column=letter)
        self.problems.append(dataclasses.replace(problem, field=field, where=where))


def _column_of(problem: Problem) -> int:
    """For sorting; what is wrong with the row as a whole comes last."""
    letter = problem.where.column
    return ROW_AS_A_WHOLE if letter is None else column_index(letter)
