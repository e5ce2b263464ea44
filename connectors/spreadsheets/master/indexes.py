"""Parse rows of a sheet of price indexes: the change of one month in percent, as published."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Final

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.master.rows import MasterReader
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.column_parser import Parse
from domain.competence import month_text
from domain.contracts.terms import read_index
from domain.master_fields import Field
from domain.problems import Problem

LARGEST_CHANGE: Final = 100
"""Percent a month; a larger change, up or down, is a typing error."""


@dataclass(slots=True, kw_only=True)
class IndexReader(MasterReader):
    """The key is the index and the month (`2026-11`), `change` the decimal text of the percentage."""

    fields: ClassVar[Mapping[str, Field]] = {"change": Field("rate")}
    key_fields: ClassVar[tuple[str, ...]] = ("index", "month")

    def own_parsers(self) -> Mapping[str, Parse]:
        return {"index": _index, "month": self.month_words, "change": self.change}

    def month_words(self, cell: Cell, field: str) -> str | Problem:
        found = self.month(cell, field)
        return found if isinstance(found, Problem) else month_text(found)

    def change(self, cell: Cell, field: str) -> str | Problem:
        """Return the change in percent as decimal text: `0.48` for 0,48 %, negative where prices fell."""
        if isinstance(cell, Percent):
            found: Decimal | Problem = Decimal(f"{cell:.10g}") * 100
        else:
            bare = cell.strip().removesuffix("%").strip() if isinstance(cell, str) else cell
            found = number_parser.parse_decimal_figure(bare, self.locales.get(field))
        if isinstance(found, Problem) or abs(found) > LARGEST_CHANGE:
            return Problem("contract.index_change", params={"text": number_parser.shown(cell), "limit": LARGEST_CHANGE})
        return f"{found.normalize():f}"


def _index(cell: Cell, _: str) -> str | Problem:
    found = read_index(cells.as_text(cell))
    if found is None:
        return Problem("contract.index_unknown", params={"text": cells.as_text(cell)[:40]})
    return str(found)
