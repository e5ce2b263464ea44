"""The quick lane: most rows of most sheets are clean, and those are typed in a fifth of the careful reader's time.

What cells mean is asked of the careful reader's own parsers and remembered, so that both ways give the same line; a row
with any cell that is not plainly good is not decided here. On what terms is billed comes again row after row, the same
cells together, and so do a customer's document, mailbox and city: each such group is remembered as a whole.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, Final, TypeVar

import orjson

from connectors.spreadsheets import cells
from connectors.spreadsheets.figures import LARGEST_CENTS, NOISE
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.lines import AMOUNTS, RATES, Reader
from connectors.spreadsheets.quick.shapes import (
    REMEMBERED,
    TERMS,
    Cells,
    Fields,
    Group,
    Kinds,
    Meant,
    Parse,
    Part,
    Shape,
    fill,
)
from domain.documents import ParsedDocument
from domain.problems import Problem

T = TypeVar("T")

SHAPES_AT_MOST: Final = 1_024

_PLACE: Final = ("city_code", "city", "state")
_BAD: Final = object()
_WRITTEN: Final[Mapping[type, Callable[[Any], Any]]] = {
    Problem: lambda _: _BAD,
    ParsedDocument: lambda found: [found.document.kind, found.document.number],
    tuple: lambda found: list(found) or None,
    date: date.isoformat,
    datetime: datetime.isoformat,
}
"""Values that the ledger holds as something else."""


class QuickReader:
    """Clean rows: the line as JSON, as `ServiceLine.to_json` has it, and the cells as the ledger keeps them."""

    def __init__(self, careful: Reader) -> None:
        self._careful = careful
        self._takes_hidden = careful.defaults.takes_hidden_rows
        self._columns = columns = careful.columns
        contact: dict[str, Parse] = {
            "document": careful.document,
            "emails": careful.emails,
            "phone": careful.phone,
            "zip_code": careful.zip_code,
        }
        terms: dict[str, Parse] = dict.fromkeys(RATES, careful.rate) | {
            "competence": careful.month,
            "emitter_cnpj": careful.cnpj,
            "service_item_code": careful.item_code,
            "city_tax_code": careful.tax_code,
            "retained_iss": careful.yes_no,
            "send_to_taker": careful.yes_no,
            "is_wanted": careful.yes_no,
        }
        own: dict[str, Parse] = dict.fromkeys(AMOUNTS[1:], careful.amount) | {"emission_at": careful.instant}
        self._contact = Group.of(columns, contact, _PLACE)
        self._terms = Group.of(columns, terms, (), *TERMS)
        self._own = {name: parse for name, parse in own.items() if name in columns}
        self._values: dict[str, dict[Any, str | None]] = {name: {} for name in self._own}
        self._places: dict[Any, Any] = {}
        self._shapes: dict[Kinds, Shape | None] = {}
        competence = careful.defaults.competence
        self._said: dict[str, Any] = {"send_to_taker": False}
        if competence is not None:
            self._said["competence"] = competence.isoformat()
        if careful.defaults.emitter_cnpj is not None:
            self._said["emitter_cnpj"] = careful.defaults.emitter_cnpj

    def read(self, row: Row) -> tuple[bytes, bytes | None] | None:
        """The line and the kept cells, or None for a row that must be read with care.

        The cells alone are None where one of them does not stand in JSON as it is.
        """
        found = row.cells
        shape = self._shape_of(found)
        if shape is None or (row.is_hidden and not self._takes_hidden):
            return None
        contact = self._meant(shape.contact, found, self._contact, self._meant_contact)
        terms = self._meant(shape.terms, found, self._terms, self._meant_terms)
        own = self._own_places(found, shape)
        if contact is None or terms is None or own is None:
            return None
        places, is_plain = own
        line = fill(shape.line, (terms[0], contact[0], *places)).encode()
        if not is_plain or contact[1] is None or terms[1] is None:
            return line, None
        others = map(_json_of, shape.others(found))
        return line, fill(shape.kept, shape.pick((*found, *contact[1], *terms[1], *others))).encode()

    def _shape_of(self, found: Cells) -> Shape | None:
        kinds = tuple(map(type, found))
        try:
            return self._shapes[kinds]
        except KeyError:
            if len(self._shapes) >= SHAPES_AT_MOST:
                self._shapes.clear()
            shape = Shape.of(kinds, self._columns, self._contact, self._terms, self._own)
            self._shapes[kinds] = shape
            return shape

    def _own_places(self, found: Cells, shape: Shape) -> tuple[tuple[str, ...], bool] | None:
        """What only this row says, for the places of its line, and whether each of its texts stands in JSON as it is.

        None where something about it is not plain.
        """
        texts: tuple[str, ...] = shape.texts(found)
        if shape.numbers:
            if any(cells.unusable(texts[place]) is not None for place in shape.numbers):
                return None
            texts = tuple(text if type(text) is str else cells.as_text(text) for text in texts)
        together = f" {' '.join(texts)} "
        cents, repeated = self._cents(found[shape.amount]), self._careful.repeated_keys
        members = self._members(found, shape.values) if shape.values else ""
        if (
            cents is None
            or cents <= 0
            or members is None
            or (texts and not _is_tidy(together))
            or (repeated and shape.own_key is not None and texts[shape.own_key] in repeated)
        ):
            return None
        # nothing else that is printable is written otherwise in JSON
        is_plain = '"' not in together and "\\" not in together
        if not is_plain:
            texts = tuple(orjson.dumps(text).decode()[1:-1] for text in texts)
        if shape.unchecked:
            others = [str(found[index]) for index in shape.unchecked]
            if max(map(len, others)) > cells.TEXT_LENGTH:
                return None
            is_plain = is_plain and _is_plain(others)
        return (*texts, str(cents), members), is_plain

    def _members(self, found: Cells, values: Fields) -> str | None:
        members = ""
        for name, index in values:
            member = self._member(name, found[index])
            if member is None:
                return None
            members += member
        return members

    def _cents(self, amount: Cell) -> int | None:
        """What is billed hardly ever comes twice: not worth remembering."""
        if type(amount) is float and -LARGEST_CENTS <= (exact := amount * 100) <= LARGEST_CENTS:
            whole = round(exact)
            if abs(exact - whole) <= NOISE:
                # as the careful reader would say after five times as long
                return whole
        cents = _meaning(amount, "service_cents", self._careful.amount)
        return cents if isinstance(cents, int) else None

    def _member(self, name: str, cell: Cell) -> str | None:
        known = self._values[name]
        key = cell if type(cell) is str else (type(cell), cell)
        if key in known:
            return known[key]
        value = _meaning(cell, name, self._own[name])
        if value is _BAD or (type(value) is int and value < 0):
            return _remembered(known, key, None)
        return _remembered(known, key, "" if value is None else f",{_members_of({name: value})}")

    @staticmethod
    def _meant(part: Part, found: Cells, group: Group, ask: Callable[[Part, Cells], Meant]) -> Meant:
        key = part.pick(found)
        try:
            return part.known[key]
        except KeyError:
            return group.remember(part.known, key, ask(part, key))

    def _meant_contact(self, part: Part, found: Cells) -> Meant:
        said = part.said(found)
        contact = _meant_group(self._contact, said)
        if contact is None or "document" not in contact:
            return None
        place = self._meant_place(tuple(map(said.get, _PLACE)))
        return None if place is _BAD else (_members_of(contact | place), _kept(part, found))

    def _meant_terms(self, part: Part, found: Cells) -> Meant:
        terms = _meant_group(self._terms, part.said(found))
        if terms is None or ("is_wanted" in self._columns and terms.pop("is_wanted", None) is not True):
            return None
        terms = self._said | terms
        is_whole = "template_name" in terms and "competence" in terms and "emitter_cnpj" in terms
        return (_members_of(terms), _kept(part, found)) if is_whole else None

    def _meant_place(self, said: Cells) -> Any:
        key = said, tuple(map(type, said))
        place = self._places.get(key)
        if place is not None:
            return place
        parsers = (self._careful.words, self._careful.words, self._careful.state)
        cells_meant = zip(said, _PLACE, parsers, strict=True)
        meant = [None if cell is None else _meaning(cell, name, parse) for cell, name, parse in cells_meant]
        found = _BAD if _BAD in meant else self._careful.place(*meant)
        return _remembered(self._places, key, _BAD if isinstance(found, Problem) else found)


def _meant_group(group: Group, said: Mapping[str, Cell]) -> dict[str, Any] | None:
    """What cells say by field, None where one of them is not plainly good."""
    meant: dict[str, Any] = {}
    for name, cell in said.items():
        parse = group.parsers.get(name)
        if type(cell) is str and len(cell) > cells.TEXT_LENGTH:
            return None
        if parse is not None:
            value = _meaning(cell, name, parse)
        elif name not in group.texts:
            continue
        elif type(cell) is str:
            value = cell if _is_tidy(f" {cell} ") else _BAD
        else:
            value = cells.as_text(cell) if cells.unusable(cell) is None else _BAD
        if value is _BAD:
            return None
        if value is not None:
            meant[name] = value
    return meant


def _meaning(cell: Cell, name: str, parse: Parse) -> Any:
    """A cell's value as the ledger holds it, None for a blank one, or `_BAD` for one with a problem."""
    if type(cell) is not str and cells.unusable(cell) is not None:
        return _BAD
    if cells.is_blank(cell):
        return None
    value = parse(cell, name)
    write = _WRITTEN.get(type(value))
    return value if write is None else write(value)


def _remembered(known: dict[Any, T], key: Any, value: T) -> T:
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = value
    return value


def _members_of(values: Mapping[str, Any]) -> str:
    """As JSON, without the braces."""
    return orjson.dumps(values).decode()[1:-1]


def _json_of(cell: Cell) -> str:
    """A cell that is no text as the ledger keeps it."""
    return orjson.dumps(cells.as_json(cell)).decode()


def _kept(part: Part, found: Cells) -> tuple[str, ...] | None:
    """Of a group's cells, as JSON those that are no texts; None where a text does not stand in JSON as it is."""
    if not _is_plain([cell for cell in found if type(cell) is str]):
        return None
    return tuple([_json_of(cell) for cell in found if type(cell) is not str]) if part.others else ()


def _is_plain(texts: Iterable[str]) -> bool:
    """Whether JSON writes each of these texts as it is."""
    together = "".join(texts)
    return together.isprintable() and '"' not in together and "\\" not in together


def _is_tidy(together: str) -> bool:
    """Whether texts are as they would be kept: no spaces too many, nothing invisible, none of them too long.

    They stand one behind the other, between spaces: one look at all together costs a fifth of a look at each.
    """
    return (
        together.isprintable()
        and len(together) <= cells.TEXT_LENGTH
        # within a text, at either end of it, or because there is none
        and "  " not in together
        # the apostrophe that once meant "this is text"
        and " '" not in together
    )
