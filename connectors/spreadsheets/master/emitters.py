"""Rows of a sheet of emitters, each found by its CNPJ. Certificates and passwords have no place in a sheet."""

from functools import cached_property
from typing import Final

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.sheets import Cell, Workbook
from connectors.spreadsheets.layouts import Layout
from connectors.spreadsheets.master.rows import MasterRow, MasterTaking, read_master
from connectors.spreadsheets.taking import Cities
from domain.master.fields import EMITTER, Kind, Value
from domain.problems import Problem

_REGIMES: Final = frozenset({"1", "2", "3"})


def read_emitters(workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None) -> list[MasterRow]:
    """The key is the emitter's CNPJ."""
    return read_master(workbook, layout, _Taking, cities=cities, sheet=sheet)


class _Taking(MasterTaking):
    fields = EMITTER

    def key(self) -> tuple[str, ...]:
        self._check_wanted()
        if not cells.is_blank(self._cell("certificate")):
            # nothing of the cell is taken over, not even into the words about it
            self._blame("emitter.secret_in_sheet", "certificate")
        return (self.needed("emitter_cnpj"),)

    def _value(self, name: str, kind: Kind) -> Value | None:
        reader = self._reader
        if name in ("city", "state"):
            return self._where.get(name)
        if name == "email":
            # the provider has room for one
            return next(iter(self._take("emails", reader.emails) or ()), None)
        own = {"phone": reader.phone, "zip_code": reader.zip_code, "code_tax_regime": _regime}
        return self._take(name, own[name]) if name in own else super()._value(name, kind)

    @cached_property
    def _where(self) -> dict[str, str | None]:
        return self._place()


def _regime(cell: Cell, field: str) -> str | Problem:
    text = cells.as_text(cell)
    return text if text in _REGIMES else Problem("emitter.tax_regime", field, params={"text": text[:20]})
