"""Combined queries about a batch for staging, because each call from async code waits for a database thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from connectors.ledger import files, invoices, parties, tables
from connectors.ledger.backup.restorations import undecided_charges
from connectors.ledger.batches import BatchRecord
from connectors.ledger.issuance.pending_invoices import PendingInvoice, posts_of
from connectors.ledger.observations.doubts import HeldBack, held_back, stored_problem
from domain.issuing import EmitterRef
from domain.problems import Problem
from domain.states import InvoiceState


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """Facts before a batch begins: its first note's stored problem, what holds it back, its file and its emitter."""

    problem: Problem | None
    held: HeldBack | None
    file_sha256: str
    emitter: EmitterRef


@dataclass(frozen=True, slots=True)
class BatchNotes:
    """The notes of a batch: counts by state, and the notes that wait to be posted, by number.

    `is_suspect`: the ledger was restored from a copy, and some of these notes may have been issued after the copy.
    """

    counts: Mapping[InvoiceState, int]
    waiting: Sequence[PendingInvoice]
    is_suspect: bool


def facts_of(conn: sa.Connection, batch: BatchRecord) -> BatchFacts:
    """Return everything that staging needs about this batch before its first request."""
    return BatchFacts(
        problem=stored_problem(conn, batch.id),
        held=held_back(conn, batch.id),
        file_sha256=files.file_of_reading(conn, batch.reading_id).sha256,
        emitter=parties.emitter_of(conn, batch.emitter_id).ref,
    )


def notes_of(conn: sa.Connection, batch_id: int) -> BatchNotes:
    """Return the counts and the waiting notes of this batch now."""
    counts = invoices.count_by_state(conn, batch_id)
    if InvoiceState.RESERVED not in counts:
        return BatchNotes(counts, (), is_suspect=False)
    return BatchNotes(counts, posts_of(conn, batch_id), is_suspect=bool(undecided_charges(conn, batch_id)))


def holder_of(conn: sa.Connection, issuer: str, remote_id: int) -> int | None:
    """Return the id of the batch that has the id `remote_id` at this issuer, or None."""
    batches = tables.batches.c
    held = sa.select(batches.id).where(batches.issuer == issuer, batches.remote_id == remote_id)
    return conn.execute(held).scalar_one_or_none()
