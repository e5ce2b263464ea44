"""What posting and proving want to know of a batch's notes, and nothing else: they are asked of every note there is."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.sql import gathered
from domain.states import InvoiceState

_t = tables.invoices


@dataclass(frozen=True, slots=True)
class Post:
    """A note that waits to be posted: `content` is the request as JSON text, `amounts` are cents by wire name."""

    id: int
    serie: str
    number: int
    content: str
    digest: str
    amounts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answered:
    """Of the notes that wait at the provider: the sum of their services in cents, and a digest of each answer."""

    service_cents: int
    digests: tuple[str, ...]


def posts_of(conn: sa.Connection, batch_id: int) -> list[Post]:
    """The batch's `reserved` notes, by number."""
    amounts = sa.type_coerce(_t.c.amounts, sa.Text) if conn.dialect.name == "sqlite" else sa.cast(_t.c.amounts, sa.Text)
    query = (
        sa.select(_t.c.id, _t.c.serie, _t.c.number, _t.c.content, _t.c.digest, amounts)
        .where(_t.c.batch_id == batch_id, _t.c.state == str(InvoiceState.RESERVED))
        .order_by(_t.c.number)
    )
    return [
        Post(each, serie, number, content, digest, orjson.loads(cents))
        for each, serie, number, content, digest, cents in gathered(conn, query)
    ]


def answered(conn: sa.Connection, batch_id: int) -> Answered:
    """What was answered about the batch's `created` notes."""
    query = sa.select(_t.c.service_cents, sa.func.coalesce(_t.c.answer_digest, "")).where(
        _t.c.batch_id == batch_id, _t.c.state == str(InvoiceState.CREATED)
    )
    rows = gathered(conn, query)
    return Answered(sum(row[0] for row in rows), tuple(row[1] for row in rows))
