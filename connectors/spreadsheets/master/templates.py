"""Rows of a sheet of service templates, each found by its emitter and its name."""

import re
from typing import Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.sheets import Cell, Workbook
from connectors.spreadsheets.layouts import Layout
from connectors.spreadsheets.master.rows import MasterRow, MasterTaking, read_master
from connectors.spreadsheets.taking import Cities
from domain.master.fields import TEMPLATE, Kind, Value
from domain.problems import Problem

CNAE_DIGITS: Final = 7
_NAMES: Final = {name: name for name in ("ir", "pis", "cofins", "csll", "inss")} | {
    "irrf": "ir",
    "iss": "retained_iss",
    "iss retido": "retained_iss",
}


def read_templates(workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None) -> list[MasterRow]:
    """The key is the emitter's CNPJ and the template's name, letter by letter as invoices will name it."""
    return read_master(workbook, layout, _Taking, cities=cities, sheet=sheet)


class _Taking(MasterTaking):
    fields = TEMPLATE

    def key(self) -> tuple[str, ...]:
        self._check_wanted()
        return self.needed("emitter_cnpj"), self.needed("template_name")

    def _value(self, name: str, kind: Kind) -> Value | None:
        if name == "city_code":
            return self._place().get(name)
        own = {"cnae_code": _cnae, "highlight_retentions": _names, "description": self._reader.paragraph}
        return (self._take(name, own[name]) or None) if name in own else super()._value(name, kind)


def _cnae(cell: Cell, field: str) -> str | Problem:
    digits = re.sub(r"[.\-/\s]", "", cells.as_text(cell))
    if not digits.isdecimal() or len(digits) not in (CNAE_DIGITS - 1, CNAE_DIGITS):
        return Problem("template.cnae", field, params={"text": cells.as_text(cell)[:20]})
    return digits.zfill(CNAE_DIGITS)


def _names(cell: Cell, field: str) -> tuple[str, ...] | Problem:
    """`IR, PIS, COFINS` as our names of the retentions that an invoice shows apart."""
    found: dict[str, None] = {}
    for word in filter(None, (part.strip() for part in re.split(r"[,;/]", cells.as_text(cell)))):
        name = _NAMES.get(cells.plain(word))
        if name is None:
            return Problem("template.highlight", field, params={"text": word[:20]})
        found[name] = None
    return tuple(found)
