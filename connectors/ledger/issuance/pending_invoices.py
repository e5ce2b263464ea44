"""Fast queries for the notes of a batch: those to be posted, and the answers that the proof compares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Statement, is_sqlite, param
from domain.states import InvoiceState

_t = tables.invoices


@dataclass(frozen=True, slots=True)
class PendingInvoice:
    """A note that waits to be posted. `content` is the canonical invoice as JSON, `amounts` are cents by name."""

    id: int
    serie: str
    number: int
    content: str
    digest: str
    amounts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answered:
    """The notes that wait at the provider: the sum of their service amounts in cents, and each answer's digest."""

    service_cents: int
    digests: tuple[str, ...]


def posts_of(conn: sa.Connection, batch_id: int) -> list[PendingInvoice]:
    """Return the batch's `reserved` invoices, by number."""
    return [
        PendingInvoice(each, serie, number, content, digest, orjson.loads(cents))
        for each, serie, number, content, digest, cents in _find_reserved.gather(conn, batch=batch_id)
    ]


def created_invoices(conn: sa.Connection, batch_id: int) -> Answered:
    """Return the sum and the answers' digests of the batch's `created` invoices."""
    rows = _find_created.gather(conn, batch=batch_id)
    return Answered(sum(row[0] for row in rows), tuple(row[1] for row in rows))


@Statement
def _find_reserved(conn: sa.Connection) -> sa.Select[Any]:
    amounts = sa.type_coerce(_t.c.amounts, sa.Text) if is_sqlite(conn) else sa.cast(_t.c.amounts, sa.Text)
    return (
        sa.select(_t.c.id, _t.c.serie, _t.c.number, _t.c.content, _t.c.digest, amounts)
        .where(_t.c.batch_id == param("batch"), _t.c.state == str(InvoiceState.RESERVED))
        .order_by(_t.c.number)
    )


@Statement
def _find_created(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t.c.service_cents, sa.func.coalesce(_t.c.answer_digest, "")).where(
        _t.c.batch_id == param("batch"), _t.c.state == str(InvoiceState.CREATED)
    )
