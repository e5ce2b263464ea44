"""The only writer of a state column: compare-and-set plus one event each, in the caller's transaction.

Fewer ids returned than asked for = somebody was first: returned, not raised. Only a pair outside the table of
`domain.states` raises `IllegalMove`; the database refuses it as well. An invoice that dies retires its number here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from domain.states import Entity, InvoiceState, State


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the append-only journal."""

    id: int
    entity: Entity
    entity_id: int
    was: str | None
    becomes: str
    because: str
    is_observed: bool
    fence: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of one thing that the provider showed.

    `moved` is False when it was there already or the answer is older than what we know. `is_uncommanded`: we asked for
    nothing that leads there (somebody sent or cancelled in the web page); an incident was opened.
    """

    id: int
    was: State
    moved: bool
    is_uncommanded: bool


def born(conn: sa.Connection, ids: Sequence[int], *, state: State, because: str) -> None:
    """Journal the first state of things just inserted."""
    raise NotImplementedError


def move(
    conn: sa.Connection,
    ids: Sequence[int],
    *,
    was: State,
    becomes: State,
    because: str,
    fence: int | None = None,
    only_where: sa.ColumnElement[bool] | None = None,
) -> list[int]:
    """Command one step for many things of one kind; returns the ids that moved, ascending.

    `because` is a short stable reason for the journal. `only_where` adds to the compare-and-set and is for this
    package. Raises `IllegalMove`.
    """
    raise NotImplementedError


def observe(
    conn: sa.Connection, ids: Sequence[int], *, becomes: State, because: str, fence: int | None = None
) -> list[Observed]:
    """Report that the provider shows these invoices, or these batches, as `becomes`. Jumps forward, never back."""
    raise NotImplementedError


def events_of(conn: sa.Connection, entity: Entity, ids: Sequence[int]) -> list[Event]:
    """The journal of these things, in the order in which it was written."""
    raise NotImplementedError


def states_of(conn: sa.Connection, invoice_ids: Sequence[int]) -> dict[int, InvoiceState]:
    """The present state of these invoices."""
    raise NotImplementedError
