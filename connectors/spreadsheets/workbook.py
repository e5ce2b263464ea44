"""A workbook as rows of cells, whatever file it came in; refused in words when it is not one.

Everything that is hostile or wrong about the file as a whole is found here, before any cell is understood.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Literal, Protocol

FileKind = Literal["xlsx", "csv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one file may ask of us. `rows` counts rows with content on one sheet, the header among them."""

    file_bytes: int = 20_000_000
    rows: int = 50_000
    columns: int = 400
    cells: int = 5_000_000
    unpacked_bytes: int = 160_000_000
    text_length: int = 32_767


@dataclass(frozen=True, slots=True)
class CellError:
    """A cell that shows an error instead of a value; `shown` is what the person sees (`#REF!`)."""

    shown: str


@dataclass(frozen=True, slots=True)
class Uncalculated:
    """A formula whose result the file does not hold: the program that wrote it never calculated."""


Cell = str | float | bool | date | datetime | time | timedelta | CellError | Uncalculated | None
"""A value as the file holds it: numbers are floats, empty cells and blank texts None."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row with content. `number` is the one the person sees; `cells[0]` is column A; trailing blanks are cut."""

    number: int
    cells: tuple[Cell, ...]
    is_hidden: bool = False


class Sheet(Protocol):
    """One sheet. `rows` starts over at each call and leaves blank rows out."""

    @property
    def name(self) -> str: ...
    @property
    def is_visible(self) -> bool: ...
    @property
    def hidden_columns(self) -> frozenset[int]: ...
    def rows(self) -> Iterator[Row]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """An open workbook. `facts` say how it was read (a CSV's encoding and separator)."""

    kind: FileKind
    sheets: tuple[Sheet, ...]
    facts: Mapping[str, str] = field(default_factory=dict)


def open_workbook(source: Path | bytes, limits: Limits | None = None, *, name: str = "") -> Workbook:
    """The workbook in a file or in its bytes; `name` is the file's name as the person knows it.

    Raises `LayoutError` with a `file.*` problem for whatever cannot or may not be read.
    """
    raise NotImplementedError
