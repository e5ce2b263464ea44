"""One row of a services sheet as a typed line, or everything that is wrong with it at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectors.spreadsheets import figures
from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.taking import RowTaking, SheetReader
from domain.codes.items import read_item, spelled_code
from domain.problems import Problem
from domain.services import ServiceLine

AMOUNTS: Final = ("service_cents", "deduction_cents", "unconditioned_discount_cents", "discount_conditioning_cents",
                  "iss_cents", "pis_cents", "cofins_cents", "csll_cents", "ir_cents", "inss_cents", "pcc_cents",
                  "federal_cents", "tax_burden_cents")  # fmt: skip
RATES: Final = ("iss_bp", "pis_bp", "cofins_bp", "csll_bp", "ir_bp", "inss_bp", "tax_burden_bp")
WORDS: Final = ("template_name", "cnae_code", "own_key", "reference",
                 "rps_situation", "operation_nature", "tax_burden_source")  # fmt: skip
PARAGRAPHS: Final = ("description", "observations")


def is_any_item(_: str) -> bool:
    """Where nobody passes the national list, any item may be one."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(SheetReader):
    """Reads rows of services. `repeated_keys`: own keys in use more than once, by first row.

    `is_item`: whether the national list of services has an item, as `01.05`.
    """

    repeated_keys: Mapping[str, int]
    is_item: Callable[[str], bool] = is_any_item

    def item_code(self, cell: Cell, field: str) -> str | Problem:
        """An item of the national list, or whatever code the city may have of its own."""
        found = self.words(cell, field)
        return found if isinstance(found, Problem) else read_item(found, self.is_item)

    def tax_code(self, cell: Cell, field: str) -> str | Problem:
        found = self.words(cell, field)
        return found if isinstance(found, Problem) else spelled_code(found)

    def read(self, row: Row) -> tuple[ServiceLine | None, tuple[Problem, ...]]:
        """The line, or None and every problem of the row in column order."""
        reading = _RowReading(self, row)
        line = reading.line()
        problems = reading.in_column_order()
        return (None, problems) if problems or line is None else (line, ())


class _RowReading(RowTaking):
    def __init__(self, reader: Reader, row: Row) -> None:
        super().__init__(reader, row)
        self._items = reader
        self._defaults, self._repeated_keys = reader.defaults, reader.repeated_keys

    def line(self) -> ServiceLine | None:
        self._check_wanted()
        amounts = {field: self._take(field, self._reader.amount) for field in AMOUNTS}
        values: dict[str, Any] = amounts | {field: self._take(field, self._reader.rate) for field in RATES}
        values |= {field: self._take(field, self._reader.words) for field in WORDS}
        values["service_item_code"] = self._take("service_item_code", self._items.item_code)
        values["city_tax_code"] = self._take("city_tax_code", self._items.tax_code)
        values |= {field: self._take(field, self._reader.paragraph) for field in PARAGRAPHS}
        values["emission_at"] = self._take("emission_at", self._reader.instant)
        values["competence"] = self._or_default("competence", self._reader.month, self._defaults.competence)
        values["emitter_cnpj"] = self._or_default("emitter_cnpj", self._reader.cnpj, self._defaults.emitter_cnpj)
        values["retained_iss"] = self._take("retained_iss", self._reader.yes_no)
        values["send_to_taker"] = bool(self._take("send_to_taker", self._reader.yes_no))
        taker = self._taker()
        self._check_values(values)
        return None if self.problems else ServiceLine(taker=taker, **values)

    def _check_values(self, values: Mapping[str, Any]) -> None:
        if values["service_cents"] is None and not self._is_blamed("service_cents"):
            self._blame("amount.missing", "service_cents")
        elif values["service_cents"] is not None and values["service_cents"] <= 0:
            self._blame("amount.not_positive", "service_cents")
        for field in AMOUNTS[1:]:
            if (values[field] or 0) < 0:
                text = figures.shown(self._cell(field))
                self._add(Problem("amount.unreadable", field, params={"text": text}), field)
        if values["template_name"] is None and not self._is_blamed("template_name"):
            self._blame("template.missing", "template_name")
        if values["competence"] is None and not self._is_blamed("competence"):
            self._blame("competence.missing", "competence")
        if values["emitter_cnpj"] is None and not self._is_blamed("emitter_cnpj"):
            self._blame("emitter.missing", "emitter_cnpj")
        self._check_key(values["own_key"])

    def _check_key(self, key: str | None) -> None:
        first = self._repeated_keys.get(key) if key else None
        if key and first is not None and first != self._row.number:
            self._add(Problem("row.key_twice", "own_key", params={"key": key[:40], "other": first}), "own_key")
