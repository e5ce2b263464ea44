"""Parse rows of a contracts sheet, each with the contract's own key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.master.rows import MasterReader
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_parser import Parse
from domain.competence import BRASILIA
from domain.contracts.billing_day import read_billing_day
from domain.contracts.contract import LARGEST_CADENCE
from domain.contracts.terms import FIELDS, OPEN_END, is_open_end, read_cadence, read_index
from domain.master_fields import Field
from domain.problems import Problem

_KINDS: Mapping[str, Field] = {
    "service_cents": Field("amount"),
    "is_prorated": Field("yes_no"),
    "readjustment": Field("rate"),
}


@dataclass(slots=True, kw_only=True)
class ContractReader(MasterReader):
    """The key is the contract's. Days are ISO texts, for `domain.contracts.terms`."""

    fields: ClassVar[Mapping[str, Field]] = {name: _KINDS.get(name, Field("words")) for name in FIELDS}
    key_fields: ClassVar[tuple[str, ...]] = ("contract_key",)

    def own_parsers(self) -> Mapping[str, Parse]:
        return {
            "document": self.document_number,
            "name": self.words,
            "description": self.paragraph,
            "starts_on": self.day,
            "ends_on": self.end,
            "billing_day": _billing_day,
            "cadence": _cadence,
            "readjustment": self.readjustment,
        }

    def day(self, cell: Cell, field: str) -> str | Problem | None:
        """Return the day as ISO text."""
        found = self.instant(cell, field)
        return found if found is None or isinstance(found, Problem) else found.astimezone(BRASILIA).date().isoformat()

    def end(self, cell: Cell, field: str) -> str | Problem | None:
        """Return the last day as ISO text, or `OPEN_END`."""
        if isinstance(cell, str) and is_open_end(cell):
            return OPEN_END
        return self.day(cell, field)

    def readjustment(self, cell: Cell, field: str) -> str | int | Problem:
        """Return the index's name, or the yearly percentage in basis points."""
        index = read_index(cell) if isinstance(cell, str) else None
        return self.rate(cell, field) if index is None else str(index)


def _billing_day(cell: Cell, _: str) -> str | Problem:
    found = read_billing_day(cells.as_text(cell))
    return found if isinstance(found, Problem) else found.text


def _cadence(cell: Cell, _: str) -> int | Problem:
    text = cells.as_text(cell)
    months = read_cadence(text)
    if months is None:
        return Problem("contract.cadence_unreadable", params={"text": text[:40]})
    return months if 1 <= months <= LARGEST_CADENCE else Problem("contract.cadence", params={"limit": LARGEST_CADENCE})
