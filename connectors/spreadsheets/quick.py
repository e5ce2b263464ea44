"""Rows of services that hold nothing but usual cells, typed at once; every other row is left to the careful reader.

Most rows of most sheets are clean. What a column's cells mean is asked of the careful reader's own parsers and
remembered, so that both ways give the same line; a row with any cell that is not plainly good is not decided here.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.lines import AMOUNTS, PARAGRAPHS, RATES, WORDS, Reader
from connectors.spreadsheets.taking import TAKER_WORDS
from domain.documents import ParsedDocument
from domain.problems import Problem

REMEMBERED: Final = 16_384
"""Cells of one column whose meaning is remembered; the same customers, rates and months come again and again."""

_PLACE: Final = ("city_code", "city", "state")
_UNKNOWN: Final = object()
_BAD: Final = object()

_Column = tuple[str, int, dict[Any, Any], Callable[[Cell, str], Any]]


class QuickReader:
    """Lines of clean rows, as `ServiceLine.to_json` would write them."""

    def __init__(self, careful: Reader) -> None:
        self._careful = careful
        columns = careful.columns
        self._width = max(columns.values()) + 1
        self._blank = (None,) * self._width
        self._words = [(name, columns[name]) for name in WORDS if name in columns]
        self._taker_words = [(name, columns[name]) for name in TAKER_WORDS if name in columns]
        self._paragraphs = [(name, columns[name]) for name in PARAGRAPHS if name in columns]
        self._texts = [index for _, index in (*self._words, *self._taker_words)]
        self._amount = columns["service_cents"]
        self._other_amounts = [name for name in AMOUNTS if name in columns and name != "service_cents"]
        self._values = self._remembering(
            dict.fromkeys(self._other_amounts, careful.amount)
            | dict.fromkeys(RATES, careful.rate)
            | {
                "emission_at": careful.instant,
                "competence": careful.month,
                "emitter_cnpj": careful.cnpj,
                "service_item_code": careful.item_code,
                "city_tax_code": careful.tax_code,
                "retained_iss": careful.yes_no,
                "send_to_taker": careful.yes_no,
            }
        )
        self._taker_values = self._remembering(
            {
                "document": careful.document,
                "emails": careful.emails,
                "phone": careful.phone,
                "zip_code": careful.zip_code,
            }
        )
        self._wanted = self._remembering({"is_wanted": careful.yes_no})
        self._place = [columns.get(name, self._width) for name in _PLACE]
        self._places: dict[tuple[Cell, ...], Any] = {}
        competence = careful.defaults.competence
        self._said: dict[str, Any] = {"send_to_taker": False}
        if competence is not None:
            self._said["competence"] = competence.isoformat()
        if careful.defaults.emitter_cnpj is not None:
            self._said["emitter_cnpj"] = careful.defaults.emitter_cnpj

    def line(self, row: Row) -> dict[str, Any] | None:
        """The line, or None for a row that must be read with care."""
        if row.is_hidden and not self._careful.defaults.takes_hidden_rows:
            return None
        found = row.cells if len(row.cells) > self._width else (*row.cells, *self._blank)
        line, taker = self._said.copy(), dict[str, Any]()
        if not (
            self._take_texts(found, line, taker)
            and self._take_amount(found[self._amount], line)
            and _take_values(found, self._values, line)
            and _take_values(found, self._taker_values, taker)
            and (not self._wanted or self._is_wanted(found))
            and self._take_place(found, taker)
        ):
            return None
        line["taker"] = taker
        return line if self._is_whole(line, taker) else None

    def _remembering(self, parsers: Mapping[str, Callable[[Cell, str], Any]]) -> list[_Column]:
        columns = self._careful.columns
        return [(name, columns[name], {}, parse) for name, parse in parsers.items() if name in columns]

    def _take_texts(self, found: tuple[Cell, ...], line: dict[str, Any], taker: dict[str, Any]) -> bool:
        texts = [cell for index in self._texts if type(cell := found[index]) is str]
        # one look at all texts together costs a fifth of a look at each
        together = "|".join(texts)
        if not together.isprintable() or len(together) > cells.TEXT_LENGTH or _is_untidy(f"|{together}|"):
            return False
        for target, columns in ((line, self._words), (taker, self._taker_words)):
            for name, index in columns:
                cell = found[index]
                if type(cell) is str:
                    target[name] = cell
                elif type(cell) is float:
                    target[name] = cells.as_text(cell)
                elif cell is not None:
                    return False
        return self._take_paragraphs(found, line)

    def _take_paragraphs(self, found: tuple[Cell, ...], line: dict[str, Any]) -> bool:
        for name, index in self._paragraphs:
            cell = found[index]
            if type(cell) is str:
                if not cell.isprintable() or len(cell) > cells.TEXT_LENGTH or _is_untidy(f"|{cell}|"):
                    return False
                line[name] = cell
            elif cell is not None:
                return False
        return True

    def _take_amount(self, cell: Cell, line: dict[str, Any]) -> bool:
        """What is billed hardly ever comes twice: not worth remembering."""
        cents = None if cell is None or cells.unusable(cell) else self._careful.amount(cell, "service_cents")
        if isinstance(cents, int):
            line["service_cents"] = cents
            return True
        return False

    def _is_wanted(self, found: tuple[Cell, ...]) -> bool:
        said: dict[str, Any] = {}
        return _take_values(found, self._wanted, said) and said.get("is_wanted") is True

    def _take_place(self, found: tuple[Cell, ...], taker: dict[str, Any]) -> bool:
        padded = (*found[: self._width], None)
        key = tuple(padded[index] for index in self._place)
        place = self._places.get(key, _UNKNOWN)
        if place is _UNKNOWN:
            place = self._meant_place(*key)
            _remember(self._places, key, place)
        if place is _BAD:
            return False
        taker.update(place)
        return True

    def _meant_place(self, code: Cell, city: Cell, state: Cell) -> Any:
        parsers = (self._careful.words, self._careful.words, self._careful.state)
        cells_meant = zip((code, city, state), _PLACE, parsers, strict=True)
        said = [None if cell is None else _meaning(cell, name, parse) for cell, name, parse in cells_meant]
        place = _BAD if _BAD in said else self._careful.place(*said)
        return _BAD if isinstance(place, Problem) else place

    def _is_whole(self, line: dict[str, Any], taker: dict[str, Any]) -> bool:
        """Whether the row says all that every row must say, and nothing that another row has something to say about."""
        key = line.get("own_key")
        return (
            line.get("service_cents", 0) > 0
            and not any(line.get(name, 0) < 0 for name in self._other_amounts)
            and "document" in taker
            and "template_name" in line
            and "competence" in line
            and "emitter_cnpj" in line
            and (key is None or key not in self._careful.repeated_keys)
        )


def _take_values(found: tuple[Cell, ...], columns: list[_Column], target: dict[str, Any]) -> bool:
    for name, index, known, parse in columns:
        cell = found[index]
        if cell is None:
            continue
        # equal cells of two kinds (1 and True, 5 % and 0.05) mean different things
        key = cell if type(cell) is str else (type(cell), cell)
        value = known.get(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = _meaning(cell, name, parse)
            _remember(known, key, value)
        if value is _BAD:
            return False
        if value is not None:
            target[name] = value
    return True


def _meaning(cell: Cell, name: str, parse: Callable[[Cell, str], Any]) -> Any:
    """A cell's value as the ledger holds it, None for a blank one, or `_BAD` for one with a problem."""
    if cells.unusable(cell) is not None:
        return _BAD
    if cells.is_blank(cell):
        return None
    value = parse(cell, name)
    if isinstance(value, Problem):
        return _BAD
    if isinstance(value, ParsedDocument):
        return [value.document.kind, value.document.number]
    if isinstance(value, tuple):
        return list(value) or None
    return value.isoformat() if isinstance(value, date | datetime) else value


def _remember(known: dict[Any, Any], key: Any, value: Any) -> None:
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = value


def _is_untidy(text: str) -> bool:
    """Whether a text between bars has spaces too many, or the apostrophe that once meant "this is text"."""
    return "  " in text or "| " in text or " |" in text or "|'" in text or "||" in text
