"""Show the issued invoices that planned ones replace as one section of a forecast's page."""

from collections.abc import Sequence

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Cell, Cents, Section
from domain.forecasts.planned_invoices import PlannedNote
from domain.money import format_brl
from tasks.views.sections import section


def replaced_section(words: Catalogue, notes: Sequence[PlannedNote], *, is_shared: bool = False) -> Section:
    """Return each replaced invoice with both amounts and the reason, which a shared page leaves out: a person wrote it.

    An approval is also a yes to what the city cancels.
    """
    pairs = [(each.replaced, each) for each in notes if each.replaced is not None]
    rows: list[tuple[Cell, ...]] = []
    for old, new in pairs:
        amounts = (Cents(old.service_cents), Cents(new.service_cents))
        reason = () if is_shared else (old.because,)
        rows.append((old.number, new.taker_name, *amounts, *reason, new.row_number))
    headings = ("number", "taker", "total_before", "total_now", *(() if is_shared else ("reason",)), "row")
    was, now = sum(old.service_cents for old, _ in pairs), sum(new.service_cents for _, new in pairs)
    figures = {"count": len(rows), "was": format_brl(was), "now": format_brl(now)}
    note = words.text("preview.replaced_note", **figures) if rows else ""
    return section(words, "preview.replaced", headings, rows, note=note)
