"""Product invoices in a ledger: a shop with one kind of them, orders of two rows each, and a batch."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import approvals, batches, invoices, numbers, parties, rows
from connectors.ledger.invoices import Kind, NewInvoice
from connectors.ledger.issuance import posting
from connectors.ledger.issuance.posting import PostOutcome
from connectors.ledger.leases import Lease
from connectors.ledger.rows import NewRow, Parties
from tests.connectors.ledger import scene as scenes

CENTS = 2_500


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Results of `resolved` and the later steps: rows in pairs, invoices in the order of their numbers."""

    reading_id: int
    emitter_id: int
    row_ids: list[int]
    invoice_ids: list[int]
    batch_id: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.row_ids[::2], self.row_ids[1::2], strict=True))


def add_shop(conn: sa.Connection, kind: Kind = "nfe") -> int:
    return parties.upsert_emitter(
        conn,
        remote_id=5,
        cnpj="99000003000195",
        name="Loja",
        city_code="3550308",
        is_active=True,
        kind=kind,
        issuer=kind,
        is_staged=False,
    )


def resolved(
    conn: sa.Connection, orders: int, *, kind: Kind = "nfe", sha256: str = "c" * 64
) -> tuple[int, int, list[int]]:
    """Return reading, emitter and rows of this many orders, two rows each."""
    reading = scenes.add_reading(conn, sha256)
    emitter = add_shop(conn, kind)
    scenes.store(conn, reading, [NewRow(sheet="P", row_number=n + 2, cells={}, line={}) for n in range(2 * orders)])
    row_ids = [row.id for row in rows.rows_of(conn, reading)]
    rows.resolve_rows(conn, dict.fromkeys(row_ids, Parties(emitter)))
    return reading, emitter, row_ids


def new_order(row_ids: Sequence[int], emitter_id: int, **changes) -> NewInvoice:
    content = json.dumps({"rows": list(row_ids)})
    asked: dict[str, Any] = {
        "row_id": row_ids[0],
        "other_row_ids": tuple(row_ids[1:]),
        "emitter_id": emitter_id,
        "taker_id": None,
        "template_id": None,
        "business_key": f"order of row {row_ids[0]}",
        "competence": scenes.MONTH,
        "emission_at": None,
        "content": content,
        "digest": hashlib.sha256(content.encode()).hexdigest(),
        "service_cents": CENTS,
        "liquid_cents": CENTS,
        "amounts": {"total_cents": CENTS},
    }
    return NewInvoice(**(asked | changes))


def planned(conn: sa.Connection, orders: int = 3, *, kind: Kind = "nfe", sha256: str = "c" * 64) -> Orders:
    """Plan this many invoices into one batch with the next numbers of serie 7."""
    reading, emitter, row_ids = resolved(conn, orders, kind=kind, sha256=sha256)
    pairs = list(zip(row_ids[::2], row_ids[1::2], strict=True))
    drafted = invoices.draft_invoices(conn, [new_order(pair, emitter) for pair in pairs])
    ids = [drafted.ids[leader] for leader, _ in pairs]
    numbers.start_serie(conn, emitter, "7", start=1, by="first use")
    batch = batches.plan_batch(
        conn,
        reading_id=reading,
        emitter_id=emitter,
        competence=scenes.MONTH,
        ordinal=1,
        invoice_ids=ids,
        serie="7",
    )
    assert batch is not None
    return Orders(reading_id=reading, emitter_id=emitter, row_ids=row_ids, invoice_ids=ids, batch_id=batch)


def fixed(conn: sa.Connection, orders: int = 3, *, kind: Kind = "nfe", sha256: str = "c" * 64) -> tuple[Orders, Lease]:
    """Return a batch staged with digest "d", under our lease."""
    made = planned(conn, orders, kind=kind, sha256=sha256)
    lease = scenes.claimed(conn, made.batch_id)
    batches.freeze_payloads(conn, lease, digest="d")
    return made, lease


def sending(
    conn: sa.Connection, orders: int = 3, *, kind: Kind = "nfe", sha256: str = "c" * 64
) -> tuple[Orders, Lease]:
    """Return an approved batch that is being sent, under our lease."""
    made, lease = fixed(conn, orders, kind=kind, sha256=sha256)
    approve(conn, made)
    assert approvals.begin_sending(conn, lease)
    return made, lease


def approve(conn: sa.Connection, made: Orders) -> None:
    batch = batches.batch_of(conn, made.batch_id)
    assert batch.digest is not None
    approvals.approve(
        conn,
        batch.id,
        revision=batch.revision,
        digest=batch.digest,
        count=batch.count,
        total_cents=batch.total_cents,
        approver="ana",
    )


def answer(invoice_id: int, attempt_id: int, **changes) -> PostOutcome:
    """Return a correct answer: the invoice is being issued."""
    values: dict[str, Any] = {
        "attempt_id": attempt_id,
        "invoice_id": invoice_id,
        "outcome": "issued",
        "status": 201,
        "remote_id": 7_000 + invoice_id,
        "last_byte_at": datetime.now(UTC),
    }
    if changes.get("outcome", "issued") != "issued":
        values |= {"remote_id": None, "status": None}
    return PostOutcome(**(values | changes))


def post(conn: sa.Connection, lease: Lease, *outcomes: str, ids: Sequence[int]) -> posting.PostingResults:
    """Post these invoices; each outcome answers one of them, in order."""
    begun = posting.begin_posting(conn, lease, ids, seconds=60)
    answers = [answer(each, begun.attempts[each], outcome=outcome) for each, outcome in zip(ids, outcomes, strict=True)]
    return posting.end_posting(conn, begun.lease, answers)
