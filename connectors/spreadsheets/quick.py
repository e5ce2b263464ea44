"""Rows of services that hold nothing but usual cells, typed at once; every other row is left to the careful reader.

Most rows of most sheets are clean. What cells mean is asked of the careful reader's own parsers and remembered, so that
both ways give the same line; a row with any cell that is not plainly good is not decided here.

On what terms is billed comes again row after row, the same cells together, and so do a customer's document, mailbox and
city. Each such group is remembered as a whole: by its cells, where all of them have the kinds that they had before,
since equal cells of two kinds (1 and True, 5 % and 0.05) mean different things.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import itemgetter
from typing import Any, Final, TypeAlias

from connectors.spreadsheets import cells
from connectors.spreadsheets.figures import LARGEST_CENTS
from connectors.spreadsheets.formats.marks import column_letter
from connectors.spreadsheets.formats.sheets import Cell, Percent, Row
from connectors.spreadsheets.lines import AMOUNTS, PARAGRAPHS, RATES, WORDS, Reader
from connectors.spreadsheets.taking import TAKER_WORDS
from domain.documents import ParsedDocument
from domain.problems import Problem

REMEMBERED: Final = 32_768
"""Groups of cells, or cells of one column, whose meaning is remembered."""
SHAPES_AT_MOST: Final = 1_024

_PLACE: Final = ("city_code", "city", "state")
_TERMS: Final = ("template_name", "cnae_code", "rps_situation", "operation_nature", "tax_burden_source")
"""Texts that many rows have; any others are hardly ever the same twice."""
_OWN_WORDS: Final = (*(name for name in WORDS if name not in _TERMS), *PARAGRAPHS)
_ESSENTIAL: Final = frozenset({"service_cents", "document", "template_name"})
_UNKNOWN: Final = object()
_BAD: Final = object()

_Cells: TypeAlias = tuple[Cell, ...]
_Kinds: TypeAlias = tuple[type, ...]
_Pick: TypeAlias = Callable[[_Cells], Any]
_Parse: TypeAlias = Callable[[Cell, str], Any]
_Known: TypeAlias = dict[Any, Any]
_Places: TypeAlias = tuple[tuple[str, int], ...]
"""Fields, or letters, with their columns."""


@dataclass(slots=True)
class _Group:
    """Cells that come together: `texts` that are kept as they are, and others read by `parsers`, by field.

    `known` is what `count` groups of cells meant, by the fields that they fill and the kinds that they have.
    """

    columns: Mapping[str, int]
    texts: frozenset[str]
    parsers: Mapping[str, _Parse]
    known: dict[Any, _Known] = field(default_factory=dict)
    count: int = 0

    def part(self, kinds: _Kinds) -> "_Part":
        """What a row with these kinds of cells fills of the group."""
        filled = tuple((name, index) for name, index in self.columns.items() if _is_filled(index, kinds))
        known = self.known.setdefault(tuple((name, kinds[index]) for name, index in filled), {})
        return _Part(tuple(name for name, _ in filled), _picking([index for _, index in filled]), known)

    def remember(self, known: _Known, key: _Cells, meant: Any) -> Any:
        if self.count >= REMEMBERED:
            for each in self.known.values():
                each.clear()
            self.count = 0
        self.count += 1
        known[key] = meant
        return meant


@dataclass(frozen=True, slots=True)
class _Part:
    """What rows of one shape fill of a group: the fields, how to take their cells, and what those meant before."""

    names: tuple[str, ...]
    pick: _Pick
    known: _Known

    def said(self, found: _Cells) -> dict[str, Cell]:
        return dict(zip(self.names, found, strict=True))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is the same for all rows with the same kinds of cells.

    `texts` are all texts that are hardly ever the same twice: first the row's own (`own`), then the taker's (`words`).
    `numbers` are numbers that stand for such texts, `values` what else is a row's own, `unchecked` texts of which
    nothing is known yet.
    """

    contact: _Part
    terms: _Part
    amount: int
    texts: _Pick
    own: tuple[str, ...]
    words: tuple[str, ...]
    own_numbers: _Places
    word_numbers: _Places
    values: _Places
    unchecked: tuple[int, ...]
    kept: "_Kept"


@dataclass(frozen=True, slots=True)
class _Kept:
    """The cells for the ledger: letters and cells of all that is filled, then those that are not kept as they are."""

    letters: tuple[str, ...]
    pick: _Pick
    numbers: _Places
    others: _Places

    @classmethod
    def of(cls, kinds: _Kinds) -> "_Kept":
        filled = [(column_letter(index), index) for index in range(len(kinds)) if _is_filled(index, kinds)]
        return cls(
            letters=tuple(letter for letter, _ in filled),
            pick=_picking([index for _, index in filled]),
            numbers=tuple(each for each in filled if kinds[each[1]] in (float, Percent)),
            others=tuple(each for each in filled if kinds[each[1]] not in (str, float, Percent)),
        )

    def take(self, found: _Cells) -> dict[str, Any]:
        """As `services.kept_cells` does, where no text is too long."""
        kept = dict(zip(self.letters, self.pick(found), strict=True))
        number: Any
        for letter, index in self.numbers:
            number = found[index]
            kept[letter] = int(number) if -1e15 < number < 1e15 and number.is_integer() else float(number)
        for letter, index in self.others:
            kept[letter] = cells.as_json(found[index])
        return kept


class QuickReader:
    """Clean rows: the line as `ServiceLine.to_json` would write it, and the cells as the ledger keeps them.

    Lines may share the lists in them, which nobody may change.
    """

    def __init__(self, careful: Reader) -> None:
        self._careful = careful
        self._takes_hidden = careful.defaults.takes_hidden_rows
        self._columns = columns = careful.columns
        contact: dict[str, _Parse] = {
            "document": careful.document,
            "emails": careful.emails,
            "phone": careful.phone,
            "zip_code": careful.zip_code,
        }
        terms: dict[str, _Parse] = dict.fromkeys(RATES, careful.rate) | {
            "competence": careful.month,
            "emitter_cnpj": careful.cnpj,
            "service_item_code": careful.item_code,
            "city_tax_code": careful.tax_code,
            "retained_iss": careful.yes_no,
            "send_to_taker": careful.yes_no,
            "is_wanted": careful.yes_no,
        }
        own: dict[str, _Parse] = dict.fromkeys(AMOUNTS[1:], careful.amount) | {"emission_at": careful.instant}
        self._contact = _group(columns, (*contact, *_PLACE), contact)
        self._terms = _group(columns, (*_TERMS, *terms), terms, texts=_TERMS)
        self._values = {name: parse for name, parse in own.items() if name in columns}
        self._meanings: dict[str, _Known] = {name: {} for name in (*contact, *terms, *own)}
        self._places: _Known = {}
        self._shapes: dict[_Kinds, _Shape | None] = {}
        competence = careful.defaults.competence
        self._said: dict[str, Any] = {"send_to_taker": False}
        if competence is not None:
            self._said["competence"] = competence.isoformat()
        if careful.defaults.emitter_cnpj is not None:
            self._said["emitter_cnpj"] = careful.defaults.emitter_cnpj

    def read(self, row: Row) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The line and the kept cells, or None for a row that must be read with care."""
        if row.is_hidden and not self._takes_hidden:
            return None
        found = row.cells
        shape = self._shape_of(found)
        if shape is None:
            return None
        contact = shape.contact.known.get(key := shape.contact.pick(found))
        if contact is None:
            contact = self._contact.remember(shape.contact.known, key, self._meant_contact(shape.contact.said(key)))
        terms = shape.terms.known.get(key := shape.terms.pick(found))
        if terms is None:
            terms = self._terms.remember(shape.terms.known, key, self._meant_terms(shape.terms.said(key)))
        if contact is _BAD or terms is _BAD:
            return None
        line, taker = terms.copy(), contact.copy()
        if not (_take_texts(found, shape, line, taker) and self._take_own(found, shape, line)):
            return None
        line["taker"] = taker
        return line, shape.kept.take(found)

    def _shape_of(self, found: _Cells) -> _Shape | None:
        kinds = tuple(map(type, found))
        try:
            return self._shapes[kinds]
        except KeyError:
            if len(self._shapes) >= SHAPES_AT_MOST:
                self._shapes.clear()
            shape = self._shapes[kinds] = self._learned(kinds)
            return shape

    def _take_own(self, found: _Cells, shape: _Shape, line: dict[str, Any]) -> bool:
        """Figures that only this row has. False where something about it is not plain."""
        cents = self._cents(found[shape.amount])
        if cents is None or cents <= 0:
            return False
        line["service_cents"] = cents
        for name, index in shape.values:
            value = self._meant(name, found[index], self._values[name])
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

    def _meant_contact(self, said: Mapping[str, Cell]) -> Any:
        contact = self._meant_group(self._contact, said)
        if contact is _BAD or "document" not in contact:
            return _BAD
        place = self._meant_place(tuple(said.get(name) for name in _PLACE))
        return _BAD if place is _BAD else contact | place

    def _meant_terms(self, said: Mapping[str, Cell]) -> Any:
        terms = self._meant_group(self._terms, said)
        if terms is _BAD or ("is_wanted" in self._columns and terms.pop("is_wanted", None) is not True):
            return _BAD
        terms = self._said | terms
        is_whole = "template_name" in terms and "competence" in terms and "emitter_cnpj" in terms
        return terms if is_whole else _BAD

    def _meant_group(self, group: _Group, said: Mapping[str, Cell]) -> Any:
        meant: dict[str, Any] = {}
        for name, cell in said.items():
            parse = group.parsers.get(name)
            if type(cell) is str and len(cell) > cells.TEXT_LENGTH:
                return _BAD
            if parse is not None:
                value = self._meant(name, cell, parse)
            elif name not in group.texts:
                continue
            elif type(cell) is str:
                value = cell if _is_tidy((cell,)) else _BAD
            else:
                value = cells.as_text(cell)
            if value is _BAD:
                return _BAD
            if value is not None:
                meant[name] = value
        return meant

    def _meant(self, name: str, cell: Cell, parse: _Parse) -> Any:
        known = self._meanings[name]
        key = cell if type(cell) is str else (type(cell), cell)
        value = known.get(key, _UNKNOWN)
        return _remembered(known, key, _meaning(cell, name, parse)) if value is _UNKNOWN else value

    def _meant_place(self, said: _Cells) -> Any:
        key = said, tuple(map(type, said))
        place = self._places.get(key)
        if place is not None:
            return place
        parsers = (self._careful.words, self._careful.words, self._careful.state)
        cells_meant = zip(said, _PLACE, parsers, strict=True)
        meant = [None if cell is None else _meaning(cell, name, parse) for cell, name, parse in cells_meant]
        found = _BAD if _BAD in meant else self._careful.place(*meant)
        return _remembered(self._places, key, _BAD if isinstance(found, Problem) else found)

    def _learned(self, kinds: _Kinds) -> _Shape | None:
        """None for rows that lack what every row must have, or have a word that is neither text nor number."""
        columns = self._columns
        filled = {name: kinds[index] for name, index in columns.items() if _is_filled(index, kinds)}
        words = (*TAKER_WORDS, *_TERMS, *_OWN_WORDS)
        if (
            not filled.keys() >= _ESSENTIAL
            or any(filled.get(name, str) not in (str, float) for name in words)
            or any(filled.get(name, str) is not str for name in PARAGRAPHS)
        ):
            return None
        own = tuple(name for name in _OWN_WORDS if filled.get(name) is str)
        taker_words = tuple(name for name in TAKER_WORDS if filled.get(name) is str)
        texts = [columns[name] for name in (*own, *taker_words)]
        checked = {*texts, *self._contact.columns.values(), *self._terms.columns.values()}
        return _Shape(
            contact=self._contact.part(kinds),
            terms=self._terms.part(kinds),
            amount=columns["service_cents"],
            texts=_picking(texts),
            own=own,
            words=taker_words,
            own_numbers=tuple((name, columns[name]) for name in _OWN_WORDS if filled.get(name) is float),
            word_numbers=tuple((name, columns[name]) for name in TAKER_WORDS if filled.get(name) is float),
            values=tuple((name, columns[name]) for name in self._values if name in filled),
            unchecked=tuple(index for index, kind in enumerate(kinds) if kind is str and index not in checked),
            kept=_Kept.of(kinds),
        )


def _group(
    columns: Mapping[str, int], names: Iterable[str], parsers: Mapping[str, _Parse], texts: Iterable[str] = ()
) -> _Group:
    return _Group({name: columns[name] for name in names if name in columns}, frozenset(texts), parsers)


def _is_filled(index: int, kinds: _Kinds) -> bool:
    return index < len(kinds) and kinds[index] is not type(None)


def _picking(indexes: list[int]) -> _Pick:
    """Takes the cells of these columns, as a tuple also where there is only one."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    return lambda found: tuple(found[index] for index in indexes)


def _take_texts(found: _Cells, shape: _Shape, line: dict[str, Any], taker: dict[str, Any]) -> bool:
    """What is taken as it stands. False where something about it is not plain."""
    texts = shape.texts(found)
    if texts and not _is_tidy(texts):
        return False
    coming = iter(texts)
    line.update(zip(shape.own, coming))  # noqa: B905 - the taker's come after them
    taker.update(zip(shape.words, coming))  # noqa: B905
    for name, index in shape.own_numbers:
        line[name] = cells.as_text(found[index])
    for name, index in shape.word_numbers:
        taker[name] = cells.as_text(found[index])
    longest = cells.TEXT_LENGTH
    return all(len(str(found[index])) <= longest for index in shape.unchecked)


def _meaning(cell: Cell, name: str, parse: _Parse) -> Any:
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


def _remembered(known: _Known, key: Any, value: Any) -> Any:
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = value
    return value


def _is_tidy(texts: tuple[str, ...]) -> bool:
    """Whether texts are as they would be kept: no spaces too many, nothing invisible, none of them too long.

    One look at all together costs a fifth of a look at each.
    """
    together = f"|{'|'.join(texts)}|"
    return (
        together.isprintable()
        and len(together) <= cells.TEXT_LENGTH
        and "  " not in together
        and "| " not in together
        and " |" not in together
        # the apostrophe that once meant "this is text"
        and "|'" not in together
        and "||" not in together
    )
