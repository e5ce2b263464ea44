"""RPS numbers: (emitter, serie, number) belongs for ever to one invoice and one content digest.

Numbers are given out in order by the serie's counter inside the transaction that plans a batch. A number is retired
with its invoice (`moves`), and never given to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class SerieRecord:
    """A serie that is ours. `highest_posted` is the highest number for which a byte may ever have left; 0 = none."""

    id: int
    emitter_id: int
    serie: str
    next_number: int
    highest_posted: int
    started_by: str


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A number that is neither living nor retired with a reason."""

    number: int
    invoice_id: int
    state: str


def start_serie(conn: sa.Connection, emitter_id: int, serie: str, *, start: int, by: str) -> SerieRecord:
    """Begin a serie at `start`, or move an existing one's next number forward to it; never back."""
    raise NotImplementedError


def serie_of(conn: sa.Connection, emitter_id: int, serie: str) -> SerieRecord | None:
    """The serie, or None when it was never started."""
    raise NotImplementedError


def reserve(conn: sa.Connection, emitter_id: int, serie: str, invoice_ids: Sequence[int]) -> list[tuple[int, int]]:
    """Give the drafted invoices the next numbers in this order, and move them to `reserved`: (invoice, number) each.
    Raises `FaturistaError` (`serie.not_started`) and `IllegalMove` when one is not drafted any more."""
    raise NotImplementedError


def is_ours(conn: sa.Connection, emitter_id: int, remote_note_id: int) -> bool:
    """Whether the provider's note is one that this ledger holds."""
    raise NotImplementedError


def audit_below(conn: sa.Connection, emitter_id: int, serie: str, up_to: int) -> list[Unexplained]:
    """Our numbers up to and including `up_to` that are neither living nor retired with a reason; should be empty."""
    raise NotImplementedError


def foreign_digests(conn: sa.Connection, batch_id: int) -> list[int]:
    """Invoices of the batch, living, whose number is not recorded with their own content digest; should be empty."""
    raise NotImplementedError
