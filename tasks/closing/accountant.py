"""A closed month for the accountant's system: one line for each invoice, as a layout in `configs/layouts` has it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from configs.layouts import accountant_layouts
from connectors.ledger.closings import Closing
from connectors.ledger.observations.table_pages import TablePages
from connectors.spreadsheets.reports.delimited import tame
from connectors.spreadsheets.safe_files import save_whole
from domain.competence import BRASILIA
from domain.problems import FaturistaError, Problem
from tasks.frames import arrow_of, read_chunks
from tasks.runtime import Context

_TAMED: Final = "csv"


def write_accountant_file(context: Context, closing: Closing, name: str, folder: Path) -> Path:
    """Write a closed month in the layout of this name, from the journal up to the closing. Return where it is.

    Raises `FaturistaError` (`closing.unknown_layout`).
    """
    layouts = accountant_layouts()
    if name not in layouts:
        params = {"name": name[:40], "known": ", ".join(layouts)}
        raise FaturistaError(Problem("closing.unknown_layout", params=params))
    layout = layouts[name]
    stem = f"{context.catalogue.text('closing.file')}-{closing.competence:%Y-%m}-{closing.id}-{name}"
    path = folder / f"{stem}.{layout['ending']}"

    def fill(partial: Path) -> None:
        read_chunks(context, lambda pages: _write(partial, layout, closing, pages))

    save_whole(path, fill)
    return path


def _write(path: Path, layout: Mapping[str, Any], closing: Closing, pages: TablePages) -> None:
    with path.open("w", encoding=layout["encoding"], errors="replace", newline="") as file:
        if layout["has_header"]:
            file.write(_line(layout, [field["name"] for field in layout["fields"]]))
        for page in pages.pages("invoices", competence=closing.competence, until_event=closing.last_event):
            file.writelines(_lines(layout, arrow_of("invoices", page).to_pylist()))


def _lines(layout: Mapping[str, Any], invoices: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for invoice in invoices:
        is_wanted = invoice["state"] in layout["states"] and invoice["kind"] in layout["kinds"]
        if is_wanted and any(invoice[name] for name in layout.get("any_of", ["state"])):
            yield _line(layout, [_cell(layout, field, invoice) for field in layout["fields"]])


def _line(layout: Mapping[str, Any], cells: Sequence[str]) -> str:
    separator = layout["separator"]
    text = separator.join(" ".join(cell.replace(separator, " ").split()) for cell in cells)
    return f"{separator}{text}{separator}\r\n" if layout["is_wrapped"] else f"{text}\r\n"


def _cell(layout: Mapping[str, Any], field: Mapping[str, Any], invoice: Mapping[str, Any]) -> str:
    if "constant" in field:
        return str(field["constant"])
    if "sum" in field:
        return _money(sum(invoice[name] or 0 for name in field["sum"]))
    value = invoice[field["column"]] if "column" in field else None
    if value is None:
        return ""
    if "words" in field:
        return str(field["words"][value])
    if field["column"] == "emission_at":
        return str(value.astimezone(BRASILIA).strftime(layout["day"]))
    if field["column"].endswith("_cents"):
        return _money(value)
    return tame(str(value)) if layout["ending"] == _TAMED else str(value)


def _money(cents: int) -> str:
    sign, amount = ("-" if cents < 0 else ""), abs(cents)
    return f"{sign}{amount // 100},{amount % 100:02d}"
