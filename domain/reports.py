"""The content of the outcome report: one line per row of the user's file, and totals that add up to the cent."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

Outcome = Literal[
    "accepted", "rejected", "held", "refused", "repeated", "waiting", "in_doubt", "withdrawn", "cancelled"
]
"""`refused`: our checks refused the row; `held`: it waits for a person's answer; `rejected`: the city rejected it.

`repeated`: it has a living invoice. `withdrawn`: its invoice was taken back before it was issued.
`waiting`: in progress; `in_doubt`: a person has to check. The words are `status.<outcome>` in the catalogue.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """The outcome of one input row. Amounts in cents; `amounts` by name; texts are in the reader's language.

    `subject` is the template of a service row, the order of a product row. `taker_name` is whom the invoice names,
    `sheet_name` whom the sheet names where that differs. `mends` say what to do about each of `problems`, or nothing.
    `files` are paths of the invoice's documents by kind, as seen from the workbook.
    """

    sheet: str
    row: int
    outcome: Outcome
    status: str
    emitter_cnpj: str | None = None
    emitter_name: str | None = None
    taker_document: str | None = None
    taker_name: str | None = None
    sheet_name: str | None = None
    subject: str | None = None
    description: str | None = None
    competence: date | None = None
    emission_at: datetime | None = None
    serie: str | None = None
    number: int | None = None
    service_cents: int | None = None
    liquid_cents: int | None = None
    amounts: Mapping[str, int] = field(default_factory=dict)
    batch_name: str | None = None
    remote_id: int | None = None
    nfse_number: str | None = None
    nfse_key: str | None = None
    problems: tuple[str, ...] = ()
    mends: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTotal:
    """The number of one emitter's rows with one outcome, and their sum."""

    emitter_cnpj: str | None
    emitter_name: str | None
    outcome: Outcome
    count: int
    service_cents: int
    liquid_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReport:
    """The whole content of the outcome workbook.

    `made_at` is the newest instant in the content, never the clock: the same content gives the same bytes. `words` are
    the catalogue's headings by key. `control_total_cents` is the sheet's own total, where it has one. `columns` are
    letter, header and field of each column of the sheet.
    """

    file_name: str
    file_sha256: str
    made_at: datetime
    rows: tuple[OutcomeRow, ...]
    totals: tuple[OutcomeTotal, ...]
    words: Mapping[str, str]
    control_total_cents: int | None = None
    warnings: tuple[str, ...] = ()
    columns: tuple[tuple[str, str, str], ...] = ()


def summarize(rows: Iterable[OutcomeRow]) -> tuple[OutcomeTotal, ...]:
    """Return totals by emitter and outcome, in a fixed order. A row without a readable amount counts as zero cents."""
    groups: defaultdict[tuple[str, str, Outcome], list[OutcomeRow]] = defaultdict(list)
    for row in rows:
        groups[row.emitter_cnpj or "", row.emitter_name or "", row.outcome].append(row)
    return tuple(
        OutcomeTotal(
            emitter_cnpj=cnpj or None,
            emitter_name=name or None,
            outcome=outcome,
            count=len(group),
            service_cents=sum(row.service_cents or 0 for row in group),
            liquid_cents=sum(row.liquid_cents or 0 for row in group),
        )
        for (cnpj, name, outcome), group in sorted(groups.items())
    )


def accepted_invoices(rows: Iterable[OutcomeRow]) -> int:
    """Count the invoices of the accepted rows; a product invoice has several rows."""
    return len({(row.emitter_cnpj, row.serie, row.number, row.remote_id) for row in rows if row.outcome == "accepted"})
