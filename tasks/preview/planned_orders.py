"""Make planned notes from orders, and report texts that lose their accents and customers who stay unnamed."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from domain.forecasts.planned_invoices import PlannedNote
from domain.parties import TakerData
from domain.problems import Problem
from domain.products.lines import ProductLine, by_order
from domain.products.texts import transliterate

_EXAMPLES: Final = 5


def product_note(row: RowRecord, emitter: EmitterRecord, *, competence: date, cents: int) -> PlannedNote:
    """Return the planned invoice of the order whose first row this is; `cents` is what the customer pays."""
    taker = ProductLine.from_json(row.line or {}).taker
    return PlannedNote(
        kind=emitter.kind,
        emitter_cnpj=emitter.cnpj,
        emitter_name=emitter.name,
        competence=competence,
        sheet=row.sheet,
        row_number=row.row_number,
        taker_document=None if taker.document is None else taker.document.number,
        taker_name=taker.name or "",
        service_cents=cents,
        liquid_cents=cents,
    )


def remarks_about(rows: Sequence[RowRecord]) -> Iterator[Problem]:
    """Yield the remarks about a sheet's orders that the approver must know, at most one of each kind."""
    lines = [ProductLine.from_json(row.line) for row in rows if row.line is not None]
    yield from _transliterations(lines)
    yield from _unnamed_customers(lines)


def _unnamed_customers(lines: Iterable[ProductLine]) -> Iterator[Problem]:
    unnamed = [
        order[0].order_key
        for order in by_order(lines).values()
        if any(line.kind == "nfce" for line in order) and all(line.taker == TakerData() for line in order)
    ]
    if unnamed:
        more = " …" if len(unnamed) > _EXAMPLES else ""
        shown = ", ".join(key[:40] for key in unnamed[:_EXAMPLES]) + more
        yield Problem("preview.unnamed", params={"count": len(unnamed), "orders": shown})


def _transliterations(lines: Iterable[ProductLine]) -> Iterator[Problem]:
    """Yield one remark about the texts that a product invoice prints without their accents, with examples."""
    texts = {text for line in lines for text in (line.description, line.taker.name or "")}
    changed = sorted(text for text in texts if transliterate(text) != text)
    if changed:
        shown = "; ".join(f"{text} → {transliterate(text)}" for text in changed[:_EXAMPLES])
        yield Problem("preview.transliterated", params={"count": len(changed), "examples": shown})
