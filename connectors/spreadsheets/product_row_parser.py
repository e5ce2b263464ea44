"""Parse one row of a products sheet into a typed line, or into everything that is wrong with it."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.row_customers import leave_unclear_document, taker_of
from connectors.spreadsheets.row_parser import RowValues, SheetReader
from domain.competence import format_competence
from domain.money import format_brl
from domain.problems import Problem
from domain.products.arithmetic import line_cents
from domain.products.choices import read_choice
from domain.products.lines import ProductLine

AMOUNTS: Final = ("discount_cents", "order_discount_cents", "order_total_cents", "freight_cents", "st_base_cents",
                  "st_cents", "substitute_icms_cents")  # fmt: skip
RATES: Final = ("pis_bp", "cofins_bp", "st_rate_bp")
FIGURES: Final = ("quantity", "unit_price")
CONTROL: Final = "line_cents"
MUST_BE_NOTHING: Final = ("insurance_cents", "expenses_cents")
_WORDS: Final = ("order_key", "code", "description", "unit", "operation")
_CODES: Final = ("ncm", "cfop", "cest")
_CHOICES: Final = ("icms", "pis", "cofins", "kind", "payment", "freight", "ipi")
_REQUIRED: Final = ("order_key", "code", "description", "unit", "ncm", "cfop", *FIGURES, "icms", "pis", "cofins")
_NOT_REPEATED: Final = frozenset((*AMOUNTS, *FIGURES, CONTROL))
_DIGITS: Final = {"ncm": 8, "cest": 7}
"""The digits of codes of which a number cell can only lose a leading zero."""
_ONE_PAYMENT: Final = re.compile(r"[01]x?|1 ?/ ?1|1 (?:vez|parcela)|a ?vista|parcela unica|unica|\d{1,3} (?:dias?|ddl)")
_CODE_WITH_NAME: Final = re.compile(r"([0-9][0-9. -]{6,10}[0-9])\s{0,5}[-–:]\s{0,5}[^\W\d].{0,200}")
_PUNCTUATION: Final = str.maketrans("", "", ". -")


@dataclass(slots=True, kw_only=True)
class ProductReader(SheetReader):
    """Parse rows of products. `net_totals` are declared totals that are net of the discount, in cents by row number."""

    net_totals: dict[int, int] = dataclasses.field(default_factory=dict)

    def parsers(self) -> Mapping[str, Parse]:
        # `products` checks emitter and competence for the whole order
        return {
            CONTROL: self.amount,
            **dict.fromkeys(AMOUNTS, self.optional_amount),
            **dict.fromkeys(RATES, self.rate),
            **dict.fromkeys(MUST_BE_NOTHING, self.nothing),
            **dict.fromkeys(_WORDS, self.words),
            **dict.fromkeys(_CODES, self.code),
            **dict.fromkeys(FIGURES, self.figure),
            **dict.fromkeys(_CHOICES, self.choice),
            "instalments": self.one_instalment,
            "due_on": self.day,
            "is_final_consumer": self.yes_no,
            "retry": self.yes_no,
            "is_released": self.yes_no,
            "observations": self.paragraph,
            "competence": self.month,
            "emitter_cnpj": self.cnpj,
            "is_wanted": self.yes_no,
            **self.taker_parsers(),
        }

    def read(self, row_values: RowValues) -> tuple[ProductLine | None, tuple[Problem, ...]]:
        """Return the line, or None and every problem of the row in column order."""
        taker = taker_of(row_values, is_required=False)
        for field in _REQUIRED:
            if field not in row_values.values:
                row_values.require(field, "row.required")
        asked, written = self.defaults.competence, row_values.values.get("competence")
        if asked is not None and written not in (None, asked):
            row_values.add_remark("competence.of_row", "competence", text=format_competence(written))
        self._check_total(row_values)
        leave_unclear_document(row_values)
        if row_values.problems:
            return None, row_values.in_column_order()
        if len(taker.emails) > 1:
            shown = {
                "kept": cells.mask_email(taker.emails[0]),
                "emails": ", ".join(map(cells.mask_email, taker.emails[1:])),
            }
            row_values.add_remark("product.email_unused", "emails", **shown)
        row_values.pass_on_remarks()
        return ProductLine(row=row_values.row.number, taker=taker, **row_values.values), ()

    @property
    def not_repeated(self) -> frozenset[str]:
        return _NOT_REPEATED

    def _check_total(self, row_values: RowValues) -> None:
        """Compare the declared total with quantity × price, before or after discount and freight of the row."""
        declared = row_values.values.pop(CONTROL, None)
        quantity, unit_price = (row_values.values.get(field) for field in FIGURES)
        if declared is None or quantity is None or unit_price is None or quantity < 0 or unit_price < 0:
            return
        computed = line_cents(quantity, unit_price)
        if declared == computed:
            return
        net = computed - (row_values.values.get("discount_cents") or 0)
        freight = row_values.values.get("freight_cents") or 0
        # a total with freight is that of the order, which is compared once the order is whole
        is_of_order = declared in (computed + freight, net + freight)
        if declared == net or (is_of_order and row_values.values.setdefault("order_total_cents", declared) == declared):
            self.net_totals[row_values.row.number] = declared
            return
        params = {"declared": format_brl(declared), "computed": format_brl(computed)}
        row_values.add_problem("product.total_differs", CONTROL, **params)

    def order_key(self, row: Row) -> str:
        """Return the order of a row, also of a faulty one; empty if the row names none."""
        index = self.columns["order_key"]
        return cells.as_text(row.cells[index]) if index < len(row.cells) else ""

    def nothing(self, cell: Cell, field: str) -> Problem | None:
        """Return a problem for an amount that we do not support, unless it is zero."""
        found = self.optional_amount(cell, field)
        return found if isinstance(found, Problem) else self._unsupported(cell, field, "0,00") if found else None

    def one_instalment(self, cell: Cell, field: str) -> Problem | None:
        """Return a problem for more than one instalment."""
        text = cells.plain(cells.as_text(cell))
        return None if _ONE_PAYMENT.fullmatch(text) else self._unsupported(cell, field, "1")

    def choice(self, cell: Cell, field: str) -> str | Problem:
        found = read_choice(field, cells.as_text(cell))
        return self._in_its_column(found, field) if isinstance(found, Problem) else found

    def _unsupported(self, cell: Cell, field: str, supported: str) -> Problem:
        problem = Problem(
            "product.unsupported", field, params={"text": number_parser.shown(cell), "supported": supported}
        )
        return self._in_its_column(problem, field)

    def _in_its_column(self, problem: Problem, field: str) -> Problem:
        """Return the problem with the written header as parameter `field`, so that a person finds the column."""
        header = self.holding.headers.get(self.columns[field])
        return dataclasses.replace(problem, params={**problem.params, "field": header}) if header else problem

    def code(self, cell: Cell, field: str) -> str | Problem:
        """Return a code's digits: `6912.00.00` → 69120000.

        Restore a zero that a number cell dropped, if the length shows it.
        """
        found = cells.parse_text(cell, field)
        if isinstance(found, Problem):
            return found
        named = _CODE_WITH_NAME.fullmatch(found) if field == "ncm" else None
        bare = (named[1] if named else found).translate(_PUNCTUATION)
        is_short = isinstance(cell, float) and len(bare) == _DIGITS.get(field, 0) - 1
        return f"0{bare}" if is_short else bare

    def day(self, cell: Cell, _: str) -> date | Problem | None:
        found = cells.parse_instant(cell, has_serials=self.has_serials)
        return found.date() if isinstance(found, datetime) else found
