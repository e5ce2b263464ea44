"""One row of a products sheet as a typed line, or everything that is wrong with it at once."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.taking import RowTaking, SheetReader
from domain.money import format_brl
from domain.problems import Problem
from domain.products.arithmetic import line_cents
from domain.products.choices import read_choice
from domain.products.lines import ProductLine

AMOUNTS: Final = ("discount_cents", "order_discount_cents", "freight_cents", "st_base_cents", "st_cents",
                  "substitute_icms_cents")  # fmt: skip
RATES: Final = ("pis_bp", "cofins_bp", "st_rate_bp")
FIGURES: Final = ("quantity", "unit_price")
CONTROL: Final = "line_cents"
MUST_BE_NOTHING: Final = ("insurance_cents", "expenses_cents")
_REQUIRED_WORDS: Final = ("order_key", "code", "description", "unit")
_WORDS: Final = ("operation",)
_CODES: Final = ("ncm", "cfop", "cest")
_REQUIRED_CODES: Final = ("ncm", "cfop")
_REQUIRED_CHOICES: Final = ("icms", "pis", "cofins")
_CHOICES: Final = ("kind", "payment", "freight", "ipi")
_DIGITS: Final = {"ncm": 8, "cest": 7}
"""Codes whose lost leading zero can be no other digit."""
_PUNCTUATION: Final = str.maketrans("", "", ". -")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductReader(SheetReader):
    """Reads rows of products."""

    def read(self, row: Row) -> tuple[ProductLine | None, tuple[Problem, ...]]:
        """The line, or None and every problem of the row in column order."""
        reading = _RowReading(self, row)
        line = reading.line()
        problems = reading.in_column_order()
        return (None, problems) if problems or line is None else (line, ())

    def order_key(self, row: Row) -> str:
        """The order that a row names, also one that is otherwise wrong; empty when it names none."""
        index = self.columns["order_key"]
        return cells.as_text(row.cells[index]) if index < len(row.cells) else ""


class _RowReading(RowTaking):
    def line(self) -> ProductLine | None:
        self._check_wanted()
        values: dict[str, Any] = {field: self._take(field, self._reader.amount) for field in AMOUNTS}
        values |= {field: self._take(field, self._reader.rate) for field in RATES}
        values |= {field: self._required(field, self._reader.words) for field in _REQUIRED_WORDS}
        values |= {field: self._take(field, self._reader.words) for field in _WORDS}
        values |= {field: self._take(field, self._code) for field in _CODES}
        values |= {field: self._required(field, self._figure) for field in FIGURES}
        values |= {field: self._required(field, self._choice) for field in _REQUIRED_CHOICES}
        values |= {field: found for field in _CHOICES if (found := self._take(field, self._choice))}
        values["due_on"] = self._take("due_on", self._day)
        values["is_final_consumer"] = self._take("is_final_consumer", self._reader.yes_no)
        values["observations"] = self._take("observations", self._reader.paragraph)
        # whether somebody says them is the whole order's question
        values["competence"] = self._take("competence", self._reader.month)
        values["emitter_cnpj"] = self._take("emitter_cnpj", self._reader.cnpj)
        taker = self._taker(is_required=False)
        self._check_values(values)
        return None if self.problems else ProductLine(row=self._row.number, taker=taker, **values)

    def _check_values(self, values: dict[str, Any]) -> None:
        for field in _REQUIRED_CODES:
            if values[field] is None and not self._is_blamed(field):
                self._blame("row.required", field)
        for field in MUST_BE_NOTHING:
            if self._take(field, self._reader.amount):
                self._refuse(field, "0,00")
        if not cells.is_blank(self._cell("instalments")) and cells.as_text(self._cell("instalments")) not in ("0", "1"):
            self._refuse("instalments", "1")
        self._check_total(values["quantity"], values["unit_price"])

    def _check_total(self, quantity: Decimal | None, unit_price: Decimal | None) -> None:
        """Quantity, price and total are three witnesses of one amount."""
        declared = self._take(CONTROL, self._reader.amount)
        if declared is None or quantity is None or unit_price is None or quantity < 0 or unit_price < 0:
            return
        computed = line_cents(quantity, unit_price)
        if declared != computed:
            params: dict[str, str | int] = {"declared": format_brl(declared), "computed": format_brl(computed)}
            self._add(Problem("product.total_differs", CONTROL, params=params), CONTROL)

    def _refuse(self, field: str, supported: str) -> None:
        text = figures.shown(self._cell(field))
        self._add(Problem("product.unsupported", field, params={"text": text, "supported": supported}), field)

    def _required(self, field: str, parse: Any) -> Any:
        if cells.is_blank(self._cell(field)):
            self._blame("row.required", field)
        return self._take(field, parse)

    def _figure(self, cell: Cell, field: str) -> Decimal | Problem:
        return figures.parse_decimal_figure(cell, self._reader.locales.get(field))

    def _choice(self, cell: Cell, field: str) -> str | Problem:
        return read_choice(field, cells.as_text(cell))

    def _code(self, cell: Cell, field: str) -> str | Problem:
        """`6912.00.00` → 69120000. A number cell drops a leading zero; where the length tells, it is put back."""
        found = cells.parse_text(cell, field)
        if isinstance(found, Problem):
            return found
        bare = found.translate(_PUNCTUATION)
        is_short = isinstance(cell, float) and len(bare) == _DIGITS.get(field, 0) - 1
        return f"0{bare}" if is_short else bare

    def _day(self, cell: Cell, _: str) -> date | Problem:
        found = cells.parse_instant(cell, has_serials=self._reader.has_serials)
        return found if isinstance(found, Problem) else found.date()
