"""A habit of the corpus: one small sheet, and what a careful accountant would do with each of its rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

from connectors.spreadsheets.services import Defaults
from tests.tasks.rows import RIO, company, person

NOVEMBER: Final = date(2026, 11, 1)
USUAL: Final = Defaults(emitter_cnpj=RIO, competence=NOVEMBER)
HEAD: Final = ("CNPJ/CPF", "Razão Social", "Modelo", "Valor")

Verdict = Literal["right", "asked", "refused too much", "silently wrong"]


@dataclass(frozen=True, slots=True)
class Bill:
    """A row to bill: cents, and further values of the line or its customer by name. `remarks`: codes of decisions."""

    cents: int
    values: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """A row to hold or refuse, with one of these codes among its problems."""

    codes: tuple[str, ...]


Expectation = Bill | Ask


@dataclass(frozen=True, slots=True)
class Habit:
    """A file as somebody sends it. `rows` by number; a row that is not among them must be no line.

    `stops`: the code that refuses the whole file. `remarks` are codes of decisions about the file as a whole.
    `register` are the names of the customers that the provider knows, by document.
    """

    name: str
    written: bytes | Callable[[], bytes]
    file: str
    rows: Mapping[int, Expectation]
    stops: str | None = None
    remarks: tuple[str, ...] = ()
    defaults: Defaults = USUAL
    register: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.written if isinstance(self.written, bytes) else self.written()


def bill(cents: int, *remarks: str, **values: Any) -> Bill:
    return Bill(cents, values, remarks)


def ask(*codes: str) -> Ask:
    return Ask(codes)


def doc(number: int = 1) -> str:
    """Return an invented company's document as people write it."""
    return company(number).formatted


def cpf(number: int = 1) -> str:
    return person(number).formatted


def good(number: int = 1, *more: object, cents: int | None = None) -> list[object]:
    """Return a billable row below `HEAD`, R$ 100,01 for the first; `more` are the cells after it."""
    amount = (10_000 + number if cents is None else cents) / 100
    return [doc(number), f"Tomador {number} Ltda", "Consultoria", amount, *more]


def text_of(rows: Sequence[Sequence[object]], *, separator: str = ";") -> str:
    """Return rows as the text of a CSV file, numbers with a decimal comma."""
    return "".join(separator.join(_cell(cell) for cell in row) + "\r\n" for row in rows)


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.2f}".replace(".", ",") if isinstance(cell, float) else str(cell)
