"""Parse rows of a sheet of service templates, each with emitter and name as its key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.master.rows import MasterReader
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_parser import Parse
from domain.master_fields import TEMPLATE, Field
from domain.problems import Problem

CNAE_DIGITS: Final = 7
_NAMES: Final = {name: name for name in ("ir", "pis", "cofins", "csll", "inss")} | {
    "irrf": "ir",
    "iss": "retained_iss",
    "iss retido": "retained_iss",
}


@dataclass(slots=True, kw_only=True)
class TemplateReader(MasterReader):
    """The key is the emitter's CNPJ and the template's name, as invoices will use it."""

    fields: ClassVar[Mapping[str, Field]] = TEMPLATE
    key_fields: ClassVar[tuple[str, ...]] = ("emitter_cnpj", "template_name")

    def own_parsers(self) -> Mapping[str, Parse]:
        return {
            "city": self.words,
            "state": self.state,
            "city_code": self.words,
            "cnae_code": _cnae,
            "highlight_retentions": _names,
            "description": self.paragraph,
        }


def _cnae(cell: Cell, field: str) -> str | Problem:
    digits = re.sub(r"[.\-/\s]", "", cells.as_text(cell))
    if not digits.isdecimal() or len(digits) not in (CNAE_DIGITS - 1, CNAE_DIGITS):
        return Problem("template.cnae", field, params={"text": cells.as_text(cell)[:20]})
    return digits.zfill(CNAE_DIGITS)


def _names(cell: Cell, field: str) -> tuple[str, ...] | Problem:
    """Parse a list such as `IR, PIS, COFINS` into our names of the retentions to show on the invoice."""
    found: dict[str, None] = {}
    for word in filter(None, (part.strip() for part in re.split(r"[,;/]", cells.as_text(cell)))):
        name = _NAMES.get(cells.plain(word))
        if name is None:
            return Problem("template.highlight", field, params={"text": word[:20]})
        found[name] = None
    return tuple(found)
