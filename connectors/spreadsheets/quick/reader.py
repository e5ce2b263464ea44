"""The quick lane: most rows of most sheets are clean, and those are typed in a fifth of the careful reader's time.

What cells mean is asked of the careful reader's own parsers and remembered, so that both ways give the same line; a row
with any cell that is not plainly good is not decided here. On what terms is billed comes again row after row, the same
cells together, and so do a customer's document, mailbox and city: each such group is remembered as a whole.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.figures import LARGEST_CENTS
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.lines import AMOUNTS, RATES, Reader
from connectors.spreadsheets.quick.shapes import REMEMBERED, TERMS, Cells, Group, Kinds, Meant, Parse, Part, Shape
from domain.documents import ParsedDocument
from domain.problems import Problem

SHAPES_AT_MOST: Final = 1_024

_PLACE: Final = ("city_code", "city", "state")
_UNKNOWN: Final = object()
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
    """Clean rows: the line as `ServiceLine.to_json` would write it, and the cells as the ledger keeps them.

    Lines may share the lists in them, which nobody may change.
    """

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
        self._values: dict[str, dict[Any, Any]] = {name: {} for name in self._own}
        self._places: dict[Any, Any] = {}
        self._shapes: dict[Kinds, Shape | None] = {}
        competence = careful.defaults.competence
        self._said: dict[str, Any] = {"send_to_taker": False}
        if competence is not None:
            self._said["competence"] = competence.isoformat()
        if careful.defaults.emitter_cnpj is not None:
            self._said["emitter_cnpj"] = careful.defaults.emitter_cnpj

    def read(self, row: Row) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The line and the kept cells, or None for a row that must be read with care."""
        found = row.cells
        shape = self._shape_of(found)
        if shape is None or (row.is_hidden and not self._takes_hidden):
            return None
        contact = shape.contact.known.get(key := shape.contact.pick(found), _UNKNOWN)
        if contact is _UNKNOWN:
            contact = self._contact.remember(shape.contact.known, key, self._meant_contact(shape.contact, key))
        terms = shape.terms.known.get(key := shape.terms.pick(found), _UNKNOWN)
        if terms is _UNKNOWN:
            terms = self._terms.remember(shape.terms.known, key, self._meant_terms(shape.terms, key))
        if not isinstance(contact, tuple) or not isinstance(terms, tuple):
            return None
        line, taker = terms[0].copy(), contact[0].copy()
        if not (_take_texts(found, shape, line, taker) and self._take_figures(found, shape, line)):
            return None
        line["taker"] = taker
        kept = dict(zip(shape.letters, shape.pick(found)))  # noqa: B905 - to ask whether there are as many costs a tenth
        kept |= terms[1]
        kept |= contact[1]
        for letter, index in shape.others:
            kept[letter] = cells.as_json(found[index])
        return line, kept

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

    def _take_figures(self, found: Cells, shape: Shape, line: dict[str, Any]) -> bool:
        """What only this row has. False where something about it is not plain."""
        cents = self._cents(found[shape.amount])
        if cents is None or cents <= 0:
            return False
        line["service_cents"] = cents
        for name, index in shape.values:
            value = self._value(name, found[index])
            if value is _BAD or (type(value) is int and value < 0):
                return False
            if value is not None:
                line[name] = value
        repeated = self._careful.repeated_keys
        return not repeated or line.get("own_key") not in repeated

    def _cents(self, amount: Cell) -> int | None:
        """What is billed hardly ever comes twice: not worth remembering."""
        if type(amount) is float and -LARGEST_CENTS <= (exact := amount * 100) <= LARGEST_CENTS and exact.is_integer():
            # whole cents, as the careful reader would say after ten times as long
            return int(exact)
        cents = _meaning(amount, "service_cents", self._careful.amount)
        return cents if isinstance(cents, int) else None

    def _value(self, name: str, cell: Cell) -> Any:
        known = self._values[name]
        key = cell if type(cell) is str else (type(cell), cell)
        value = known.get(key, _UNKNOWN)
        return _remembered(known, key, _meaning(cell, name, self._own[name])) if value is _UNKNOWN else value

    def _meant_contact(self, part: Part, found: Cells) -> Meant:
        said = part.said(found)
        contact = _meant_group(self._contact, said)
        if contact is None or "document" not in contact:
            return None
        place = self._meant_place(tuple(map(said.get, _PLACE)))
        return None if place is _BAD else (contact | place, part.kept(found))

    def _meant_terms(self, part: Part, found: Cells) -> Meant:
        terms = _meant_group(self._terms, part.said(found))
        if terms is None or ("is_wanted" in self._columns and terms.pop("is_wanted", None) is not True):
            return None
        terms = self._said | terms
        is_whole = "template_name" in terms and "competence" in terms and "emitter_cnpj" in terms
        return (terms, part.kept(found)) if is_whole else None

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


def _take_texts(found: Cells, shape: Shape, line: dict[str, Any], taker: dict[str, Any]) -> bool:
    """What is taken as it stands. False where something about it is not plain."""
    texts = shape.texts(found)
    if texts and not _is_tidy(texts):
        return False
    coming = iter(texts)
    line.update(zip(shape.own, coming))  # noqa: B905 - the taker's come after them
    taker.update(zip(shape.words, coming))  # noqa: B905
    for numbers, target in ((shape.own_numbers, line), (shape.word_numbers, taker)):
        for name, index in numbers:
            if cells.unusable(found[index]) is not None:
                return False
            target[name] = cells.as_text(found[index])
    return not shape.unchecked or all(len(str(found[index])) <= cells.TEXT_LENGTH for index in shape.unchecked)


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
            value = cell if _is_tidy((cell,)) else _BAD
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


def _remembered(known: dict[Any, Any], key: Any, value: Any) -> Any:
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = value
    return value


def _is_tidy(texts: tuple[str, ...]) -> bool:
    """Whether texts are as they would be kept: no spaces too many, nothing invisible, none of them too long.

    One look at all together costs a fifth of a look at each.
    """
    together = f" {' '.join(texts)} "
    return (
        together.isprintable()
        and len(together) <= cells.TEXT_LENGTH
        # within a text, at either end of it, or because there is none
        and "  " not in together
        # the apostrophe that once meant "this is text"
        and " '" not in together
    )
