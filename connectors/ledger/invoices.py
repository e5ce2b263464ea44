"""Invoices: at most one living per business key, drafted from a row, found again by key, batch or number."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import sqlalchemy as sa

from domain.states import InvoiceState

Kind = Literal["service"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvoice:
    """What a row asks for. `content` is the request as JSON text without batch, number and default emission instant;
    `digest` its SHA-256; `amounts` every amount by wire name, in cents; `follows_id` the dead invoice taken up again.
    """

    row_id: int
    emitter_id: int
    taker_id: int
    template_id: int | None
    business_key: str
    competence: date
    emission_at: datetime | None
    content: str
    digest: str
    service_cents: int
    liquid_cents: int
    amounts: Mapping[str, int]
    kind: Kind = "service"
    follows_id: int | None = None


@dataclass(frozen=True, slots=True)
class InvoiceRecord:
    """An invoice as the ledger holds it. `emission_at` is None when the batch's instant applies."""

    id: int
    row_id: int
    batch_id: int | None
    emitter_id: int
    taker_id: int
    template_id: int | None
    follows_id: int | None
    kind: str
    state: InvoiceState
    business_key: str
    competence: date
    emission_at: datetime | None
    serie: str | None
    number: int | None
    content: str
    digest: str
    service_cents: int
    liquid_cents: int
    amounts: dict[str, int]
    remote_id: int | None
    nfse_number: str | None
    nfse_key: str | None
    errors: list[dict[str, Any]]
    answer_digest: str | None
    doubts: int
    last_byte_at: datetime | None
    absent_at: datetime | None
    taker_document: str


@dataclass(frozen=True, slots=True)
class Drafted:
    """`ids` by row; `refused` are the rows whose business key already has a living invoice: they are unchanged."""

    ids: dict[int, int]
    refused: list[int]


def draft_invoices(conn: sa.Connection, news: Sequence[NewInvoice]) -> Drafted:
    """Draft one invoice per row and move the rows resolved → assembled. A living key refuses its own row alone."""
    raise NotImplementedError


def living_by_keys(conn: sa.Connection, keys: Collection[str]) -> dict[str, InvoiceRecord]:
    """The living invoice of each business key that has one."""
    raise NotImplementedError


def last_by_keys(conn: sa.Connection, keys: Collection[str]) -> dict[str, InvoiceRecord]:
    """The newest invoice of each business key, living or dead."""
    raise NotImplementedError


def invoices_of(
    conn: sa.Connection, batch_id: int, states: Collection[InvoiceState] | None = None
) -> list[InvoiceRecord]:
    """The invoices of a batch, by number."""
    raise NotImplementedError


def drafts_of(conn: sa.Connection, reading_id: int) -> list[InvoiceRecord]:
    """Drafted invoices of a reading that are in no batch yet, in the order of their rows."""
    raise NotImplementedError


def invoices_by_ids(conn: sa.Connection, ids: Collection[int]) -> list[InvoiceRecord]:
    """These invoices, by id."""
    raise NotImplementedError


def find_invoices(
    conn: sa.Connection,
    *,
    row_id: int | None = None,
    emitter_id: int | None = None,
    serie: str | None = None,
    number: int | None = None,
    remote_id: int | None = None,
    nfse_number: str | None = None,
) -> list[InvoiceRecord]:
    """Invoices that agree with everything given, oldest first; at least one of row, number, id, NFSe number."""
    raise NotImplementedError


def count_by_state(conn: sa.Connection, batch_id: int) -> dict[InvoiceState, int]:
    """How many invoices of the batch are in each state."""
    raise NotImplementedError
