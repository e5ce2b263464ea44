"""A ledger with content: one emitter, one template, takers, a reading, rows, invoices, a batch."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from connectors.ledger import batches, files, invoices, leases, numbers, parties, rows, tables
from connectors.ledger.engine import Ledger
from connectors.ledger.files import FileRecord
from connectors.ledger.invoices import InvoiceRecord, NewInvoice
from connectors.ledger.issuance import posting
from connectors.ledger.issuance.posting import PostOutcome
from connectors.ledger.leases import Lease
from connectors.ledger.rows import NewRow, Parties
from connectors.ledger.sheets.row_import import add_packed
from domain.states import BatchState, InvoiceState, RowState

MONTH = date(2026, 11, 1)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Results of `furnish`; invoice ids in the order of their numbers."""

    reading_id: int
    emitter_id: int
    template_id: int
    taker_ids: list[int]
    row_ids: list[int]
    invoice_ids: list[int]
    batch_id: int


def add_reading(conn: sa.Connection, sha256: str = "a" * 64) -> int:
    file = files.receive(conn, sha256=sha256, name="nov.xlsx", size_bytes=9, kind="xlsx")
    return files.begin_reading(conn, file.id, operator="clerk", options={})


def add_rows(conn: sa.Connection, reading_id: int, news: Iterable[NewRow]) -> int:
    return add_packed(conn, reading_id, rows.PackedRows(map(rows.pack_new_row, news)))


def known_files(conn: sa.Connection) -> list[FileRecord]:
    return [FileRecord(*row) for row in conn.execute(sa.select(tables.files).order_by(tables.files.c.id))]


STAGED: dict[str, Any] = {"kind": "service", "issuer": "nfse", "is_staged": True}
"""What a ledger knows of the issuer of service invoices."""


def states_of(conn: sa.Connection, invoice_ids: Sequence[int]) -> dict[int, InvoiceState]:
    table = tables.invoices
    found = conn.execute(sa.select(table.c.id, table.c.state).where(table.c.id.in_(invoice_ids)))
    return {row.id: InvoiceState(row.state) for row in found}


def store(conn: sa.Connection, reading_id: int, news: Sequence[NewRow]) -> None:
    """Store all the rows of a reading and make it count."""
    add_rows(conn, reading_id, news)
    files.end_reading(conn, reading_id, {})


def add_parties(conn: sa.Connection, takers: int = 3) -> tuple[int, int, list[int]]:
    emitter = parties.upsert_emitter(
        conn, remote_id=11, cnpj="99000001000101", name="Marés", city_code="3304557", is_active=True, **STAGED
    )
    template = parties.upsert_template(conn, emitter_id=emitter, name="Consultoria", remote_id=21, body={"id": 21})
    return (
        emitter,
        template,
        [
            parties.upsert_taker(
                conn,
                issuer="nfse",
                document=f"990000020001{n:02d}",
                remote_id=100 + n,
                name=f"T{n}",
                body={},
                is_complete=True,
            )
            for n in range(takers)
        ],
    )


def new_invoice(row_id: int, emitter_id: int, taker_id: int, template_id: int, **changes) -> NewInvoice:
    content = json.dumps({"row": row_id})
    asked: dict[str, Any] = {
        "row_id": row_id,
        "emitter_id": emitter_id,
        "taker_id": taker_id,
        "template_id": template_id,
        "business_key": f"key of row {row_id}",
        "competence": MONTH,
        "emission_at": None,
        "content": content,
        "digest": hashlib.sha256(content.encode()).hexdigest(),
        "service_cents": 10_000,
        "liquid_cents": 9_385,
        "amounts": {"service_cents": 10_000},
    }
    return NewInvoice(**(asked | changes))


def furnish(conn: sa.Connection, count: int = 4, *, sha256: str = "a" * 64) -> Scene:
    """Draft `count` rows and plan them into one batch with the next numbers of serie F."""
    reading = add_reading(conn, sha256)
    emitter, template, takers = add_parties(conn)
    store(conn, reading, [NewRow(sheet="S", row_number=n + 2, cells={"n": str(n)}, line={}) for n in range(count)])
    row_ids = [row.id for row in rows.rows_of(conn, reading)]
    rows.resolve_rows(conn, {row: Parties(emitter, takers[n % len(takers)], template) for n, row in enumerate(row_ids)})
    drafted = invoices.draft_invoices(
        conn, [new_invoice(row, emitter, takers[n % len(takers)], template) for n, row in enumerate(row_ids)]
    )
    ids = [drafted.ids[row] for row in row_ids]
    numbers.start_serie(conn, emitter, "F", start=1, by="first use")
    batch = batches.plan_batch(
        conn, reading_id=reading, emitter_id=emitter, competence=MONTH, ordinal=1, invoice_ids=ids, serie="F"
    )
    assert batch is not None
    return Scene(
        reading_id=reading,
        emitter_id=emitter,
        template_id=template,
        taker_ids=takers,
        row_ids=row_ids,
        invoice_ids=ids,
        batch_id=batch,
    )


def claimed(conn: sa.Connection, batch_id: int, owner: str = "worker", seconds: float = 60) -> Lease:
    lease = leases.claim(conn, batch_id, owner=owner, seconds=seconds, states=set(BatchState))
    assert lease is not None
    return lease


def opened(conn: sa.Connection, count: int = 4, *, sha256: str = "a" * 64, remote_id: int = 500) -> tuple[Scene, Lease]:
    """Return a scene whose batch is open at the provider, under our lease."""
    scene = furnish(conn, count, sha256=sha256)
    lease = claimed(conn, scene.batch_id)
    batches.name_opening(conn, lease, "2026-11 abc 1 r1 nonce")
    batches.mark_opened(conn, lease, remote_id)
    return scene, lease


def answer(invoice_id: int, attempt_id: int, **changes) -> PostOutcome:
    """Return a correct 201."""
    values: dict[str, Any] = {
        "attempt_id": attempt_id,
        "invoice_id": invoice_id,
        "outcome": "created",
        "status": 201,
        "remote_id": 9_000 + invoice_id,
        "answer_digest": f"answer {invoice_id}",
        "last_byte_at": datetime.now(UTC),
    }
    if changes.get("outcome", "created") != "created":
        values |= {"remote_id": None, "answer_digest": None, "status": None}
    return PostOutcome(**(values | changes))


def post_all(conn: sa.Connection, lease: Lease, ids: Sequence[int]) -> Lease:
    """Post a group with a correct answer for every note."""
    begun = posting.begin_posting(conn, lease, ids, seconds=60)
    posting.end_posting(conn, begun.lease, [answer(each, attempt) for each, attempt in begun.attempts.items()])
    return begun.lease


def staged(conn: sa.Connection, count: int = 4, *, sha256: str = "a" * 64, remote_id: int = 500) -> tuple[Scene, Lease]:
    """Return a scene whose batch is staged with digest "d", still under our lease."""
    scene, lease = opened(conn, count, sha256=sha256, remote_id=remote_id)
    lease = post_all(conn, lease, scene.invoice_ids)
    batches.mark_staged(conn, lease, digest="d", proven_by="counted", counters={"created": count, "total": count})
    return scene, lease


def drafts(conn: sa.Connection, reading_id: int) -> list[InvoiceRecord]:
    """Return the drafts of a reading that are in no batch yet."""
    return invoices.invoices_by_ids(conn, [draft.id for draft in invoices.drafts_of(conn, reading_id)])


def age_lease(conn: sa.Connection, batch_id: int, seconds: float) -> None:
    """Age the lease of this batch by this many seconds."""
    batch = batches.batch_of(conn, batch_id)
    assert batch.lease_until is not None
    conn.execute(
        sa.update(tables.batches)
        .where(tables.batches.c.id == batch_id)
        .values(lease_until=batch.lease_until - timedelta(seconds=seconds))
    )


def age_batch(conn: sa.Connection, batch_id: int, *, days: float) -> None:
    """Age the end of this batch by this many days."""
    batch = batches.batch_of(conn, batch_id)
    assert batch.closed_at is not None
    then = batch.closed_at - timedelta(days=days)
    table = tables.batches
    conn.execute(sa.update(table).where(table.c.id == batch_id).values(closed_at=then, recounted_at=then))


def contents(conn: sa.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the whole content of the ledger, to show that something changed nothing."""
    return {
        table.name: [tuple(row) for row in conn.execute(sa.select(table).order_by(*table.primary_key.columns))]
        for table in tables.metadata.sorted_tables
    }


def assert_journal_tells_states(ledger: Ledger) -> None:
    """Check that each chain of events begins with a birth, is unbroken, and ends in the present state."""

    def check(conn: sa.Connection) -> None:
        events = conn.execute(sa.select(tables.events).order_by(tables.events.c.id)).all()
        last: dict[tuple[str, int], str] = {}
        for event in events:
            for entity_id in range(event.first_id, event.last_id + 1):
                assert last.get((event.entity, entity_id)) == event.was
                last[event.entity, entity_id] = event.becomes
        present = {
            (entity, row.id): row.state
            for entity, table in (("row", tables.rows), ("batch", tables.batches), ("invoice", tables.invoices))
            for row in conn.execute(sa.select(table.c.id, table.c.state))
        }
        assert present == last

    ledger.read(check)


def row_states(conn: sa.Connection, reading_id: int) -> set[RowState]:
    return {row.state for row in rows.rows_of(conn, reading_id)}
