"""Build a closing's first page: issued and other invoices, taxes, numbers, payments without an invoice, contracts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pandas as pd

from configs.catalogue import Catalogue
from connectors.ledger.closings import Closing
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section
from domain.competence import BRASILIA, format_competence
from domain.documents import Document
from tasks.closing.contracts import ClosedContract
from tasks.closing.figures import MonthFigures
from tasks.frames import TAXES
from tasks.views.sections import section

_SUMS: Final = ("count", "service_cents", "liquid_cents")


def summary_page(
    words: Catalogue, closing: Closing, figures: MonthFigures, contracts: Sequence[ClosedContract]
) -> Page:
    """Return the first page of a closing in the operator's language."""
    at = f"{closing.closed_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    paid = figures.paid()
    missing = paid[paid["billed_cents"].isna()]
    differing = paid[paid["billed_cents"].notna() & (paid["billed_cents"] != paid["total_cents"])]
    return Page(
        title=words.text("closing.title", month=format_competence(closing.competence)),
        lines=(
            words.text("closing.closed_by", person=closing.closed_by, at=at, event=closing.last_event),
            words.text("closing.paid_told", paid=len(paid), missing=len(missing), differing=len(differing)),
        ),
        alarms=(),
        sections=(
            _sums(words, "state", figures.by("state", issued_only=False), "state.invoice."),
            _sums(words, "kind", figures.by("kind"), "kind."),
            _sums(words, "emitter", figures.by("emitter_cnpj")),
            _sums(words, "template", figures.by("template")),
            _taxes(words, figures),
            _series(words, figures),
            _contract_counts(words, contracts, figures),
        ),
        lists=(
            section(
                words,
                "closing.section.paid",
                ("plan", "number", "taker", "document", "paid", "billed"),
                _paid(pd.concat([missing, differing])),
            ),
            section(
                words,
                "closing.section.contracts",
                ("contract", "taker", "status", "total"),
                _contract_lines(words, contracts, figures),
            ),
        ),
    )


def _sums(words: Catalogue, name: str, sums: pd.DataFrame, code: str = "") -> Section:
    rows = []
    for key, count, service, liquid in sums.iloc[:, [0]].join(sums[list(_SUMS)]).itertuples(index=False):
        # Only products have no template.
        known = words.text(f"{code}{key}") if code else _format_key(name, str(key))
        label = words.text("closing.no_template") if pd.isna(key) else known
        rows.append((label, int(count), Cents(int(service)), Cents(int(liquid))))
    return section(words, f"closing.section.{name}", (name, "count", "total", "liquid"), rows)


def _taxes(words: Catalogue, figures: MonthFigures) -> Section:
    sums = figures.by("kind")
    rows = [(words.text(f"closing.column.{tax}_cents"), Cents(int(sums[f"{tax}_cents"].sum()))) for tax in TAXES]
    return section(words, "closing.section.taxes", ("tax", "total"), [row for row in rows if row[1]])


def _series(words: Catalogue, figures: MonthFigures) -> Section:
    found = figures.series()
    rows: list[tuple[Cell, ...]] = []
    for (kind, emitter, serie), states in found.groupby(["kind", "emitter_cnpj", "serie"]):
        first, last = int(states["min"].min()), int(states["max"].max())
        issued = int(states.loc[states["state"].isin(["accepted", "cancelled", "replaced"]), "count"].sum())
        known = int(states["count"].sum())
        rows.append(
            (
                _format_key("emitter", str(emitter)),
                words.text(f"kind.{kind}"),
                str(serie),
                first,
                last,
                issued,
                known - issued,
                last - first + 1 - known,
            )
        )
    headings = ("emitter", "kind", "serie", "first", "last", "count", "audit_retired", "other_months")
    return section(words, "closing.section.numbers", headings, rows)


def _paid(unlike: pd.DataFrame) -> Iterator[tuple[Cell, ...]]:
    columns = ["plan_slug", "number", "client_name", "client_document", "total_cents", "billed_cents"]
    for plan, number, name, document, cents, billed in unlike[columns].itertuples(index=False):
        billed_amount = None if pd.isna(billed) else Cents(int(billed))
        yield str(plan), int(number), _text(name), _text(document), Cents(int(cents)), billed_amount


def _format_key(name: str, text: str) -> str:
    return Document("cnpj", text).formatted if name == "emitter" else text


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def _contract_counts(words: Catalogue, contracts: Sequence[ClosedContract], figures: MonthFigures) -> Section:
    counts: dict[str, tuple[int, int]] = {}
    for each in contracts:
        status = each.status(figures)
        count, total = counts.get(status, (0, 0))
        counts[status] = (count + 1, total + (each.cents(figures) or 0))
    rows = [
        (words.text(f"closing.contract.{name}"), count, Cents(total)) for name, (count, total) in sorted(counts.items())
    ]
    return section(words, "closing.section.contracts", ("status", "count", "total"), rows)


def _contract_lines(
    words: Catalogue, contracts: Sequence[ClosedContract], figures: MonthFigures
) -> Iterator[tuple[Cell, ...]]:
    for each in contracts:
        cents = each.cents(figures)
        status = words.text(f"closing.contract.{each.status(figures)}")
        yield each.contract.key, each.contract.customer_name, status, None if cents is None else Cents(cents)
