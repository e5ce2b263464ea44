"""Write a closed month for the accountant's system: one line for each invoice, by a layout of `configs/layouts`."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, Final

from configs.layouts import accountant_layouts
from connectors.ledger.closings import Closing
from connectors.ledger.observations.table_pages import TablePages
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.competence import BRASILIA, add_months
from domain.problems import FaturistaError, Problem
from domain.texts import escape_formulas
from tasks.backup.detaching import refuse_detached
from tasks.frames import arrow_of, read_chunks
from tasks.runtime import Context

_ESCAPED: Final = "csv"


def write_accountant_file(context: Context, closing: Closing, name: str, folder: Path) -> Path:
    """Write a closed month in the layout `name`, with the states that invoices had at the closing. Return the path.

    Raises `FaturistaError`: `closing.unknown_layout` for an unknown name, `closing.detached` for a detached month.
    """
    layouts = accountant_layouts()
    if name not in layouts:
        params = {"name": name[:40], "known": ", ".join(layouts)}
        raise FaturistaError(Problem("closing.unknown_layout", params=params))
    refuse_detached(context, closing.competence)
    layout = layouts[name]
    stem = f"{context.catalogue.text('closing.file')}-{closing.competence:%Y-%m}-{closing.id}-{name}"
    path = folder / f"{stem}.{layout['ending']}"

    def fill(partial: Path) -> None:
        read_chunks(context, lambda pages: _write(partial, layout, closing, pages))

    write_atomically(path, fill)
    return path


def _write(path: Path, layout: Mapping[str, Any], closing: Closing, pages: TablePages) -> None:
    texts = {"encoding": layout["encoding"], "errors": "replace", "newline": ""}
    group = layout.get("group")
    with ExitStack() as opened, path.open("w", **texts) as file:
        parts: dict[str, IO[str]] = {}
        for page in pages.pages("invoices", competence=closing.competence, until_event=closing.last_event):
            for invoice in arrow_of("invoices", page).to_pylist():
                key = invoice[group["column"]] if group else ""
                if _is_wanted(layout, invoice):
                    if key not in parts:
                        parts[key] = opened.enter_context(TemporaryFile("w+", dir=path.parent, **texts))
                    parts[key].write(_line(layout, [_cell(layout, field, invoice) for field in layout["fields"]]))
        if layout["has_header"]:
            file.write(_line(layout, [field["name"] for field in layout["fields"]]))
        for key, part in sorted(parts.items()):
            if group:
                file.write(_line(layout, [group["record"], key]))
            part.seek(0)
            copyfileobj(part, file)


def _is_wanted(layout: Mapping[str, Any], invoice: Mapping[str, Any]) -> bool:
    is_asked = invoice["state"] in layout["states"] and invoice["kind"] in layout["kinds"]
    return is_asked and any(invoice[name] for name in layout.get("any_of", ["state"]))


def _line(layout: Mapping[str, Any], cells: Sequence[str]) -> str:
    separator = layout["separator"]
    text = separator.join(" ".join(cell.replace(separator, " ").split()) for cell in cells)
    return f"{separator}{text}{separator}\r\n" if layout["is_wrapped"] else f"{text}\r\n"


def _cell(layout: Mapping[str, Any], field: Mapping[str, Any], invoice: Mapping[str, Any]) -> str:
    if invoice["state"] != "accepted" and field["name"] not in layout.get("of_cancelled", [field["name"]]):
        return ""
    if "constant" in field:
        return str(field["constant"])
    if "sum" in field:
        return _money(sum(invoice[name] or 0 for name in field["sum"]))
    value = invoice[field["column"]] if "column" in field else None
    if value is None:
        return str(field.get("empty", ""))
    if "words" in field:
        return str(field["words"][value])
    if isinstance(value, date):
        return str(_day(value).strftime(layout["day"]))
    if field["column"].endswith("_cents"):
        return _money(value)
    return escape_formulas(str(value)) if layout["ending"] == _ESCAPED else str(value)


def _day(value: date) -> date:
    """Return the day of an instant in Brasília; for a month, given by its first day, return its last day."""
    if isinstance(value, datetime):
        return value.astimezone(BRASILIA).date()
    return add_months(value, 1) - timedelta(days=1)


def _money(cents: int) -> str:
    sign, amount = ("-" if cents < 0 else ""), abs(cents)
    return f"{sign}{amount // 100},{amount % 100:02d}"
