"""An open workbook of any file format: sheets of numbered rows of cells."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal, NamedTuple, Protocol

FileKind = Literal["xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "html"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one file. `rows` counts rows with content on one sheet, including the header."""

    file_bytes: int = 20_000_000
    rows: int = 50_000
    columns: int = 400
    cells: int = 2_500_000
    unpacked_bytes: int = 128_000_000

    def to_json(self) -> dict[str, int]:
        """Return the limits as arguments for `Limits`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CellError:
    """A cell that shows an error instead of a value; `shown` is the visible text (`#REF!`)."""

    shown: str


@dataclass(frozen=True, slots=True)
class Uncalculated:
    """A formula without a result in the file: the program that wrote it never calculated."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A cell below the first row of a merged range: it seems to hold the value above, but is empty."""


class Percent(float):
    """A number that its cell shows as a percentage: 0.05 shown as 5 %."""

    __slots__ = ()


class Rounded(float):
    """A number that its cell shows with fewer than two decimal places: 1234.56 shown as 1.235."""

    __slots__ = ()


class Foreign(float):
    """A number that its cell shows as an amount of a foreign currency: US$ 100.00."""

    __slots__ = ()


class Multiplied(float):
    """A number beside which its cell shows a word that multiplies it: 1.5 shown as 1.5 mil."""

    __slots__ = ()


Cell = str | float | bool | date | datetime | time | timedelta | CellError | Uncalculated | Covered | None
"""A value in the file: numbers are floats, empty cells and blank texts are None.

A number with a zero-padding format (`00000000000`) is the visible text.
"""


class Row(NamedTuple):
    """One row with content. `number` counts from 1, as a person sees it; `cells[0]` is column A; no blanks at the end.

    `comments` are people's notes on cells, by column; `struck` are the columns with struck-through cells,
    `part_struck` those with cells where only a part of the text is.
    """

    number: int
    cells: tuple[Cell, ...]
    is_hidden: bool = False
    comments: tuple[tuple[int, str], ...] = ()
    struck: frozenset[int] = frozenset()
    part_struck: frozenset[int] = frozenset()


class Sheet(Protocol):
    """One sheet. Each call of `rows` yields all rows with content. `has_merges`: cells are merged downwards.

    `fills` are the colours of cells by row and column from 0, as in `SheetMetadata.fills`.
    """

    @property
    def name(self) -> str: ...
    @property
    def hidden_columns(self) -> frozenset[int]: ...
    @property
    def has_merges(self) -> bool: ...
    @property
    def fills(self) -> Mapping[tuple[int, int], str]: ...
    def rows(self) -> Iterator[Row]: ...


@dataclass(frozen=True, slots=True)
class ChangedSheet:
    """A base class for a sheet with some cells replaced: a subclass yields the changed rows of `sheet`."""

    sheet: Sheet

    @property
    def name(self) -> str:
        return self.sheet.name

    @property
    def hidden_columns(self) -> frozenset[int]:
        return self.sheet.hidden_columns

    @property
    def has_merges(self) -> bool:
        return self.sheet.has_merges

    @property
    def fills(self) -> Mapping[tuple[int, int], str]:
        return self.sheet.fills


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """An open workbook: its visible sheets, the names of the hidden ones, and facts such as a CSV's `encoding`."""

    kind: FileKind
    sheets: tuple[Sheet, ...]
    hidden_sheets: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
