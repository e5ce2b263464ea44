"""What rows with the same kinds of cells have in common: which fields they fill, and how to take them all at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, TypeAlias

from connectors.spreadsheets.formats.marks import column_letter
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.lines import PARAGRAPHS, WORDS
from connectors.spreadsheets.taking import TAKER_WORDS

REMEMBERED: Final = 32_768
"""How many groups of cells, or cells of one column, are remembered together with their meaning."""

TERMS: Final = ("template_name", "cnae_code", "rps_situation", "operation_nature", "tax_burden_source")
"""Texts that many rows have; any others are hardly ever the same twice."""
OWN_WORDS: Final = (*(name for name in WORDS if name not in TERMS), *PARAGRAPHS)
_ESSENTIAL: Final = frozenset({"service_cents", "document", "template_name"})

Cells: TypeAlias = tuple[Cell, ...]
Kinds: TypeAlias = tuple[type, ...]
Fields: TypeAlias = tuple[tuple[str, int], ...]
"""Fields, each with its column."""
Pick: TypeAlias = Callable[[Cells], Any]
Parse: TypeAlias = Callable[[Cell, str], Any]
Meant: TypeAlias = tuple[str, tuple[str, ...] | None] | None
"""What a group of cells says, as members of a JSON object, and as JSON those of its cells that are no texts (None where
a text would not stand in JSON as it is); None where they are not all plainly good."""
Form: TypeAlias = list[str]
"""A text with gaps: at even places what always stands there, at odd ones nothing yet."""


@dataclass(slots=True)
class Group:
    """Cells that come again together: `texts` that are kept as they are, and others read by `parsers`, by field.

    `known` is what `count` groups of cells meant, by the fields that they fill and the kinds that they have: equal
    cells of two kinds (1 and True, 5 % and 0.05) mean different things.
    """

    columns: Mapping[str, int]
    parsers: Mapping[str, Parse]
    texts: frozenset[str] = frozenset()
    known: dict[Any, dict[Cells, Meant]] = field(default_factory=dict)
    count: int = 0

    @classmethod
    def of(cls, columns: Mapping[str, int], parsers: Mapping[str, Parse], more: Iterable[str], *texts: str) -> "Group":
        """Of the fields that have a column; `more` are those that somebody else reads."""
        names = (*parsers, *more, *texts)
        return cls({name: columns[name] for name in names if name in columns}, parsers, frozenset(texts))

    def part(self, kinds: Kinds) -> "Part":
        """What a row with these kinds of cells fills of the group."""
        filled = tuple((name, index) for name, index in self.columns.items() if is_filled(index, kinds))
        known = self.known.setdefault(tuple((name, kinds[index]) for name, index in filled), {})
        indexes = [index for _, index in filled]
        others = tuple(index for index in indexes if kinds[index] is not str)
        return Part(tuple(name for name, _ in filled), others, picking(indexes), known)

    def remember(self, known: dict[Cells, Meant], key: Cells, meant: Meant) -> Meant:
        if self.count >= REMEMBERED:
            for each in self.known.values():
                each.clear()
            self.count = 0
        self.count += 1
        known[key] = meant
        return meant


@dataclass(frozen=True, slots=True)
class Part:
    """What rows of one shape fill of a group: the fields, how to take their cells, and what those meant before.

    `others` are the columns of those that are no texts.
    """

    names: tuple[str, ...]
    others: tuple[int, ...]
    pick: Pick
    known: dict[Cells, Meant]

    def said(self, found: Cells) -> dict[str, Cell]:
        """The cells by field."""
        return dict(zip(self.names, found, strict=True))


@dataclass(frozen=True, slots=True)
class Shape:
    """How rows with the same kinds of cells are taken.

    `texts` are those that are hardly ever the same twice; among them, `numbers` are the places of numbers that stand
    for texts, `own_key` is the place of the row's own key. `values` are what else is a row's own, `unchecked` texts of
    which nothing is known yet, `others` cells that are no texts and in no group.

    `line` has gaps for what the terms say, what the contact says, the texts, the amount and the values. `kept` has one
    for each cell: `pick` takes them all from the row's cells with the JSON behind them of those of the contact's, the
    terms' and the others that are no texts.
    """

    contact: Part
    terms: Part
    amount: int
    texts: Pick
    numbers: tuple[int, ...]
    own_key: int | None
    values: Fields
    unchecked: tuple[int, ...]
    others: Pick
    line: Form
    kept: Form
    pick: Pick

    @classmethod
    def of(
        cls, kinds: Kinds, columns: Mapping[str, int], contact: Group, terms: Group, values: Iterable[str]
    ) -> "Shape | None":
        """None for rows that lack what every row must have, or have a word that is neither text nor number."""
        filled = {name: kinds[index] for name, index in columns.items() if is_filled(index, kinds)}
        words = (*TAKER_WORDS, *TERMS, *OWN_WORDS)
        if (
            not filled.keys() >= _ESSENTIAL
            or any(filled.get(name, str) not in (str, float) for name in words)
            or any(filled.get(name, str) is not str for name in PARAGRAPHS)
        ):
            return None
        taker_words = [name for name in TAKER_WORDS if name in filled]
        own_words = [name for name in OWN_WORDS if name in filled]
        texts = [columns[name] for name in (*taker_words, *own_words)]
        grouped = {*contact.columns.values(), *terms.columns.values()}
        kept = [index for index in range(len(kinds)) if is_filled(index, kinds)]
        contact_part, terms_part = contact.part(kinds), terms.part(kinds)
        others = [index for index in kept if kinds[index] is not str and index not in grouped]
        behind = enumerate((*contact_part.others, *terms_part.others, *others), len(kinds))
        places = {index: place for place, index in behind}
        return cls(
            contact=contact_part,
            terms=terms_part,
            amount=columns["service_cents"],
            texts=picking(texts),
            numbers=tuple(place for place, index in enumerate(texts) if kinds[index] is float),
            own_key=texts.index(columns["own_key"]) if "own_key" in own_words else None,
            values=tuple((name, columns[name]) for name in values if name in filled),
            unchecked=tuple(index for index in kept if kinds[index] is str and index not in grouped.union(texts)),
            others=picking(others),
            line=form_of(f'{{%s,"taker":{{%s{_places(taker_words)}}}{_places(own_words)},"service_cents":%s%s}}'),
            kept=form_of(_object_of(kept, kinds)),
            pick=picking([places.get(index, index) for index in kept]),
        )


def form_of(text: str) -> Form:
    """The form with a gap at each `%s`."""
    pieces = text.split("%s")
    form = [""] * (2 * len(pieces) - 1)
    form[::2] = pieces
    return form


def fill(form: Form, values: Iterable[str]) -> str:
    """The text with these in its gaps: made in half the time that the `%` operator takes."""
    parts = form.copy()
    parts[1::2] = values
    return "".join(parts)


def _object_of(kept: Iterable[int], kinds: Kinds) -> str:
    """A JSON object of cells by letter; texts stand in quotation marks, all else brings its own JSON."""
    members = (f'"{column_letter(index)}":' + ('"%s"' if kinds[index] is str else "%s") for index in kept)
    return "{" + ",".join(members) + "}"


def _places(names: Iterable[str]) -> str:
    return "".join(f',"{name}":"%s"' for name in names)


def is_filled(index: int, kinds: Kinds) -> bool:
    """Whether a row with these kinds of cells has anything in a column."""
    return index < len(kinds) and kinds[index] is not type(None)


def picking(indexes: list[int]) -> Pick:
    """Takes the cells of these columns, as a tuple also where there is only one."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    if not indexes:
        return lambda _: ()
    only = indexes[0]
    return lambda found: (found[only],)
