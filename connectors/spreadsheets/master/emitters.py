"""Parse rows of an emitters sheet, each with the CNPJ as its key. Refuse certificates and passwords."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.master.rows import MasterReader
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_parser import Parse
from domain.master_fields import EMITTER, Field
from domain.problems import Problem

_REGIMES: Final = frozenset({"1", "2", "3"})


@dataclass(slots=True, kw_only=True)
class EmitterReader(MasterReader):
    """The key is the emitter's CNPJ."""

    fields: ClassVar[Mapping[str, Field]] = EMITTER
    key_fields: ClassVar[tuple[str, ...]] = ("emitter_cnpj",)
    sources: ClassVar[Mapping[str, str]] = {"email": "emails"}

    def own_parsers(self) -> Mapping[str, Parse]:
        return self.taker_parsers() | {"code_tax_regime": _regime, "certificate": _secret, "emails": self.only_email}

    def only_email(self, cell: Cell, _: str) -> str | Problem | None:
        """Return the only address. Several are a problem, because the provider stores one."""
        found = cells.parse_emails(cell)
        if isinstance(found, Problem):
            return found
        return Problem("row.several_emails") if len(found) > 1 else next(iter(found), None)


def _regime(cell: Cell, field: str) -> str | Problem:
    text = cells.as_text(cell)
    return text if text in _REGIMES else Problem("emitter.tax_regime", field, params={"text": text[:20]})


def _secret(_cell: Cell, field: str) -> Problem:
    # the message must not repeat the secret
    return Problem("emitter.secret_in_sheet", field)
