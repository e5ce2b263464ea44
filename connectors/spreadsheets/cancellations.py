"""Parse a list of invoices to cancel: an outcome workbook in which a person marked some rows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from connectors.spreadsheets.column_parser import Parse
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.layouts import Layout, find_header
from connectors.spreadsheets.places import Cities
from connectors.spreadsheets.readings import blocks_below
from connectors.spreadsheets.row_parser import Defaults, RowTaking, SheetReader
from domain.problems import Problem

_RPS: Final = re.compile(r"([A-Za-z0-9]{1,5})[ -]([0-9]{1,15})")
_LONGEST_ID: Final = 18


@dataclass(frozen=True, slots=True)
class CancelRow:
    """One marked row: what names the invoice, and the reason; or the row's problems."""

    number: int
    reason: str = ""
    rps: tuple[str, int] | None = None
    nfse_number: str | None = None
    remote_id: int | None = None
    emitter_cnpj: str | None = None
    problems: tuple[Problem, ...] = ()


def read_cancellations(
    workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None
) -> list[CancelRow]:
    """Return the marked rows in file order. Raises `LayoutError` if the file cannot be understood."""
    header = find_header(workbook, layout, sheet=sheet)
    reader = _Reader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales={},
        # a person filters the list to find rows to mark: a mark counts in hidden rows too
        defaults=Defaults(takes_hidden_rows=True),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    takings = (taking for block in blocks_below(header, ()) for taking in reader.take(block))
    return [found for taking in takings if (found := reader.read(taking)) is not None]


@dataclass(slots=True, kw_only=True)
class _Reader(SheetReader):
    def parsers(self) -> Mapping[str, Parse]:
        named = dict.fromkeys(("cancel_reason", "rps", "nfse_number", "remote_id"), self.words)
        return {"cancel": self.yes_no, "emitter_cnpj": self.cnpj, **named}

    def read(self, taking: RowTaking) -> CancelRow | None:
        """Return the request of a marked row, or None for a row without a mark."""
        values = taking.values
        if values.get("cancel") is not True and not any(each.field == "cancel" for each in taking.problems):
            return None
        found = _RPS.fullmatch(values.get("rps") or "")
        remote_id = values.get("remote_id") or ""
        if values.get("rps") and found is None:
            taking.blame("cancel.rps_unreadable", "rps", text=values["rps"][:20])
        if remote_id and not (remote_id.isdecimal() and len(remote_id) <= _LONGEST_ID):
            taking.blame("cancel.id_unreadable", "remote_id", text=remote_id[:20])
        if not any(values.get(name) for name in ("rps", "nfse_number", "remote_id")):
            taking.blame("cancel.row_names_nothing", None)
        if not values.get("cancel_reason"):
            taking.require("cancel_reason", "row.required")
        problems = taking.in_column_order()
        if problems:
            return CancelRow(taking.row.number, problems=problems)
        return CancelRow(
            taking.row.number,
            reason=values["cancel_reason"],
            rps=None if found is None else (found[1], int(found[2])),
            nfse_number=values.get("nfse_number"),
            remote_id=int(remote_id) if remote_id else None,
            emitter_cnpj=values.get("emitter_cnpj"),
        )
