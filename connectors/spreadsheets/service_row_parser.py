"""Parse one row of a services sheet into a typed line, or into everything that is wrong with it."""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers import stated_taxes
from connectors.spreadsheets.headers.final_amounts import numbers_in_cell
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.row_customers import customer_of, leave_unclear_document
from connectors.spreadsheets.row_parser import QUOTED, RowValues, SheetReader
from domain.competence import format_competence
from domain.documents import parse_document
from domain.invoice_numbers import names_nfse, nfse_text, place_text, read_nfse, read_place
from domain.money import format_brl
from domain.problems import Problem
from domain.services.codes import read_item, spelled_code
from domain.services.lines import SENDS_TO_TAKER, ServiceLine
from domain.texts import is_damaged

# A field's name gives its kind: `_cents` is an amount, `_bp` a rate; other fields are text unless `parsers` names them.
_FIELDS: Final = tuple(field.name for field in dataclasses.fields(ServiceLine) if field.name != "taker")
AMOUNTS: Final = tuple(name for name in _FIELDS if name.endswith("_cents"))
RATES: Final = tuple(name for name in _FIELDS if name.endswith("_bp"))
FIGURES: Final = ("quantity", "unit_price")
_NOT_REPEATED: Final = frozenset((*AMOUNTS, *FIGURES, *stated_taxes.FIELDS, "own_key", "replaces"))
_PLACEHOLDERS: Final = frozenset(
    form
    for text in ("idem", "idem acima", "id.", "o mesmo", "a definir", "a confirmar", "a informar", '"', "''", "//")
    for form in (text, text.capitalize(), text.title(), text.upper())
)
"""Placeholders for another text, which an invoice must not print."""
_DITTO: Final = re.compile(r"[\"'“”″´`,]{1,3}|[-–]? ?/{1,2} ?[-–]?|idem|id\.?", re.IGNORECASE)
_PLAN: Final = re.compile(r"\b(?:planos?|produtos?|pacotes?|tipos? de servicos?)\b")
"""Words of a template column's header that may instead mean what a customer bought."""
_THINGS: Final = re.compile(
    r"\b(?:placas?|chassi|veiculos?|equipamentos?|aparelhos?|maquinas?|fabricante|(?:numero|no?) de serie|patrimonio)\b"
)
"""Words of headers beside the model of a car or a machine."""
_DISCOUNT: Final = "unconditioned_discount_cents"
PARAGRAPHS: Final = ("description", "observations")
_PRINTED: Final = (*PARAGRAPHS, "reference")
_DIGITS_OF_A_NAME: Final = 4
_HEAD_OFFICE: Final = frozenset({"matriz", "sede"})
_ADDRESSES: Final = ("http://", "https://", "www.")
_REQUIRED: Final = (
    ("service_cents", "amount.missing"),
    ("competence", "competence.missing"),
    ("emitter_cnpj", "emitter.missing"),
)


class EmitterName(str):
    """An emitter's name from a cell that should have the CNPJ."""

    __slots__ = ()


def _is_branch(cell: Cell) -> bool:
    """Return whether a cell has the number of a branch (`01`, `0001`) or the word `Matriz`."""
    text = cells.as_text(cell)
    return (text.isdecimal() and len(text) <= _DIGITS_OF_A_NAME) or cells.plain(text) in _HEAD_OFFICE


def _is_name(cell: Cell) -> bool:
    """Return whether a cell has a name, and not a document with a fault."""
    text = cells.as_text(cell)
    digits = sum(map(str.isdigit, text))
    return digits <= _DIGITS_OF_A_NAME and sum(map(str.isalpha, text)) > digits


def is_any_item(_: str) -> bool:
    """Accept any item: the default without the national list."""
    return True


@dataclass(slots=True, kw_only=True)
class Reader(SheetReader):
    """Parse rows of services. `repeated_keys` maps each `own_key` that occurs more than once to its first row.

    `is_item` returns whether the national list of services has an item such as `01.05`.
    """

    repeated_keys: Mapping[str, int]
    is_item: Callable[[str], bool] = is_any_item
    _signed: tuple[str, ...] = dataclasses.field(init=False)
    _multiplies: bool = dataclasses.field(init=False)
    _stated_taxes: tuple[str, ...] = dataclasses.field(init=False)
    _fractions: set[str] = dataclasses.field(init=False, default_factory=set)
    _has_plans: bool = dataclasses.field(init=False)
    _states_retention: bool = dataclasses.field(init=False, default=False)

    def __post_init__(self) -> None:
        SheetReader.__post_init__(self)
        self._signed = tuple(field for field in AMOUNTS[1:] if field in self.columns)
        self._multiplies = any(field in self.columns for field in FIGURES)
        header = self.holding.headers.get(self.columns.get("template_name", -1), "")
        others = " | ".join(self.holding.headers.values())
        is_of_things = cells.plain(header) == "modelo" and _THINGS.search(cells.plain(others)) is not None
        self._has_plans = is_of_things or _PLAN.search(cells.plain(header)) is not None
        self._stated_taxes = tuple(field for field in stated_taxes.FIELDS if field in self.columns)

    def parsers(self) -> Mapping[str, Parse]:
        return {
            **dict.fromkeys(_FIELDS, self.words),
            **dict.fromkeys(AMOUNTS, self.optional_amount),
            "service_cents": self.amount,
            **dict.fromkeys(RATES, self.rate),
            **dict.fromkeys(FIGURES, self.figure),
            "quantity": self.quantity,
            "unit_price": self.price,
            **dict.fromkeys(stated_taxes.FIELDS, self.stated_tax),
            **dict.fromkeys(PARAGRAPHS, self.paragraph),
            "service_item_code": self.item_code,
            "city_tax_code": self.tax_code,
            "emission_at": self.instant,
            "competence": self.month,
            "charge_month": self.month,
            "emitter_cnpj": self.emitter,
            "emitter_name": self.party,
            "company_name": self.party,
            "retained_iss": self.retention,
            "send_to_taker": self.yes_no,
            "retry": self.yes_no,
            "is_released": self.yes_no,
            "updates_register": self.yes_no,
            "is_wanted": self.yes_no,
            "replaces": self.replaced,
            **self.taker_parsers(),
            **(self.joined_parsers() if self.columns.get("name") == self.columns.get("document", -1) else {}),
        }

    @property
    def not_repeated(self) -> frozenset[str]:
        return _NOT_REPEATED

    def rate(self, cell: Cell, field: str) -> int | Problem:
        """Return a rate. Remember the field if the cell is a fraction (`0,05`): `read` then reports such a row."""
        if number_parser.is_fraction(cell, self.locales.get(field)):
            self._fractions.add(field)
        return SheetReader.rate(self, cell, field)

    def quantity(self, cell: Cell, field: str) -> Decimal | Problem:
        """Return a quantity; hours may be written as a time."""
        return number_parser.parse_quantity(cell, self.locales.get(field))

    def price(self, cell: Cell, field: str) -> Decimal | Problem | None:
        """Return a unit price, or None for a ditto mark: the amount of the row is enough."""
        is_ditto = isinstance(cell, str) and _DITTO.fullmatch(cell.strip()) is not None
        return None if is_ditto else self.figure(cell, field)

    def stated_tax(self, cell: Cell, field: str) -> stated_taxes.StatedTax | Problem | None:
        """Return the tax that a cell of a column such as `IRRF` states: an amount or a rate."""
        return stated_taxes.parse_stated_tax(cell, self.locales.get(field))

    def retention(self, cell: Cell, field: str) -> bool | stated_taxes.StatedTax | Problem:
        """Return whether the tax is retained. A cell with an amount or a rate instead states the retained tax."""
        found = self.yes_no(cell, field)
        tax = self.stated_tax(cell, field) if isinstance(found, Problem) else None
        if not isinstance(tax, stated_taxes.StatedTax) or tax.hundredths <= 0:
            return found
        self._states_retention = True
        return tax

    def item_code(self, cell: Cell, field: str) -> str | Problem:
        """Return an item of the national list, or a code of the city."""
        found = self.words(cell, field)
        return found if isinstance(found, Problem) else read_item(found, self.is_item)

    def replaced(self, cell: Cell, field: str) -> str | Problem:
        """Return an issued invoice as `F-123`, or its NFS-e number: `118`, or `NFS-e 118` if the cell has this word.

        Below a header with the word RPS, a number without a serie names no invoice.
        """
        text = self.words(cell, field)
        if isinstance(text, Problem):
            return text
        place = read_place(text)
        if place is not None:
            return place_text(*place)
        header = self.holding.headers.get(self.columns.get(field, -1), "").casefold()
        number = None if "rps" in header and not names_nfse(text) else read_nfse(text)
        if number is None:
            return Problem("replace.unreadable", field, params={"text": text[:20]})
        return nfse_text(number) if names_nfse(text) or "nfs" in header else number

    def emitter(self, cell: Cell, field: str) -> str | Problem | None:
        """Return the emitter's CNPJ or name; None for a branch's number if the run has an emitter."""
        found = self.cnpj(cell, field)
        if isinstance(found, Problem) and self.defaults.emitter_cnpj is not None and _is_branch(cell):
            return None
        return EmitterName(cells.as_text(cell)) if isinstance(found, Problem) and _is_name(cell) else found

    def party(self, cell: Cell, field: str) -> str | Problem:
        """Return the canonical document or the name of a company."""
        found = parse_document(cells.as_text(cell))
        return self.words(cell, field) if isinstance(found, Problem) else found.document.number

    def tax_code(self, cell: Cell, field: str) -> str | Problem:
        found = self.words(cell, field)
        return found if isinstance(found, Problem) else spelled_code(found)

    def read(self, row_values: RowValues) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
        """Return the row's line as JSON (like `ServiceLine.to_json`), or None and the row's problems in column order.

        Make no `ServiceLine`, which a large sheet would need for every row: only the ledger gets the rows.
        """
        customer = customer_of(row_values)
        self._fill(row_values)
        prices = self._multiply(row_values) if self._multiplies else ()
        if _DISCOUNT in row_values.values:
            self._settle_discount(row_values, prices)
        if self._stated_taxes or self._states_retention:
            stated_taxes.settle_retention(row_values.values)
            stated_taxes.settle(row_values.values, self._stated_taxes)
        if self._fractions:
            self._remark_fractions(row_values)
        self._check(row_values)
        for field in _PRINTED:
            if (text := row_values.values.get(field)) is not None and _is_damaged(text):
                row_values.add_problem("text.damaged", field, text=text[:QUOTED])
        for field, text in (("name", customer.get("name")), ("description", row_values.values.get("description"))):
            if text in _PLACEHOLDERS:
                row_values.add_problem("text.placeholder", field, text=text)
        leave_unclear_document(row_values)
        if row_values.problems:
            return None, row_values.in_column_order()
        row_values.pass_on_remarks()
        row_values.values["taker"] = customer
        row_values.values.setdefault("send_to_taker", SENDS_TO_TAKER)
        return row_values.values, ()

    def _fill(self, row_values: RowValues) -> None:
        """Fill the row's missing values from the defaults."""
        values, defaults = row_values.values, self.defaults
        if isinstance(values.get("emitter_cnpj"), EmitterName):
            values["emitter_name"] = str(values.pop("emitter_cnpj"))
        for field, default in (("competence", defaults.competence), ("emitter_cnpj", defaults.emitter_cnpj)):
            if default is not None and field not in values:
                values[field] = default
        if defaults.competence is not None and values.get("competence", defaults.competence) != defaults.competence:
            row_values.add_remark("competence.of_row", "competence", text=format_competence(values["competence"]))
        if "description" in self.columns and "description" not in values:
            row_values.add_remark("description.of_template", "description")
        if "template_name" in values:
            if self._has_plans and defaults.template_name not in (None, values["template_name"]):
                values["template_otherwise"] = defaults.template_name
            return
        if defaults.template_name is not None:
            values |= {"template_name": defaults.template_name, "has_default_template": True}
            row_values.add_remark(defaults.template_code, None, template=defaults.template_name)
        elif "template_name" in self.columns:
            row_values.require("template_name", "template.missing")

    def _settle_discount(self, row_values: RowValues, prices: Sequence[Decimal]) -> None:
        """Drop a discount that the amount already includes, as the row's price or another column of amounts shows."""
        row, values = row_values.row.cells, row_values.values
        amount, discount = values.get("service_cents"), values[_DISCOUNT]
        if amount is None or not discount:
            return
        bases = [figure * 100 for index in self.holding.parts.bases for figure in numbers_in_cell(row, index)]
        if any(abs(base - discount - amount) < 1 for base in (*map(float, prices), *bases)):
            del values[_DISCOUNT]
            row_values.add_remark("amount.discount_within", _DISCOUNT, text=format_brl(discount))

    def _multiply(self, row_values: RowValues) -> tuple[Decimal, ...]:
        """Set a missing amount to quantity × price; compare the two if the row has an amount.

        Accept any rounding to the cent, and an amount with the row's discounts and surcharges.

        Return quantity × price in cents; nothing without one of them.
        """
        quantity, price = row_values.values.pop("quantity", None), row_values.values.pop("unit_price", None)
        if quantity is None or price is None:
            return ()
        exact = quantity * price * 100
        declared = row_values.values.get("service_cents")
        if declared is None:
            if cells.is_blank(row_values.cell("service_cents")):
                row_values.values["service_cents"] = int(exact.to_integral_value(ROUND_HALF_UP))
        elif not self._comes_to(row_values, exact, declared):
            params = {
                "declared": format_brl(declared),
                "computed": format_brl(int(exact.to_integral_value(ROUND_HALF_UP))),
            }
            row_values.add_problem("amount.product_differs", "service_cents", **params)
        return (exact,)

    def _comes_to(self, row_values: RowValues, exact: Decimal, declared: int) -> bool:
        """Return whether quantity × price (`exact`) equals the declared amount, in cents, to within a cent.

        Accept the product with or without the row's discounts and surcharges, and an amount that follows another rule
        of the sheet.
        """
        if min(abs(exact - declared), abs(exact - declared - row_values.values.get(_DISCOUNT, 0))) < 1:
            return True
        if self.holding.explains(row_values.row.cells):
            return True
        changed = self.holding.parts.changed(row_values.row.cells, float(exact) / 100)
        return any(abs(each * 100 - declared) < 1 for each in changed)

    def _remark_fractions(self, row_values: RowValues) -> None:
        """Add a remark about a rate written as a fraction of one: below a header with % it may mean another rate."""
        for field in filter(self._fractions.__contains__, RATES):
            rate = row_values.values.get(field)
            if rate and number_parser.is_fraction(cell := row_values.cell(field), self.locales.get(field)):
                text = number_parser.plain(Decimal(rate) / 100)
                row_values.add_remark("amount.rate_of_fraction", field, text=number_parser.shown(cell), rate=text)

    def _check(self, row_values: RowValues) -> None:
        values = row_values.values
        for field, code in _REQUIRED:
            if field not in values:
                row_values.require(field, code)
        if values.get("service_cents", 1) <= 0:
            row_values.add_problem("amount.not_positive", "service_cents")
        for field in self._signed:
            if values.get(field, 0) < 0:
                row_values.add_problem("amount.unreadable", field, text=number_parser.shown(row_values.cell(field)))
        if "replaces" in values and "replaces_because" not in values:
            row_values.require("replaces_because", "row.required")
        key = values.get("own_key")
        first = self.repeated_keys.get(key) if key else None
        if key and first is not None and first != row_values.row.number:
            row_values.add_problem("row.key_twice", "own_key", key=key[:40], other=first)


def _is_damaged(text: str) -> bool:
    """Return whether a printed text lost letters in a wrong encoding. Ignore web addresses."""
    return is_damaged(text) and any(is_damaged(word) for word in text.split() if not word.startswith(_ADDRESSES))
