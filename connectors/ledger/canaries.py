"""Find templates, cities, emitters and months without an accepted invoice; track canaries and the waiting batches."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock, is_in
from connectors.ledger.incidents import close_incidents
from connectors.ledger.leases import Lease, move_under
from connectors.ledger.transitions import events_of
from domain.states import BatchState, Entity, InvoiceState

Role = Literal["plain", "canary", "rest"]
"""The role of a batch in its plan: a canary is sent first, and the rest waits for it."""
REJECTED: Final = "canary.rejected"
REFUSED: Final = "canary.refused"
WITHDRAWN: Final = "canary.withdrawn"
STOPPED: Final = (REJECTED, REFUSED, WITHDRAWN)
"""Incident codes: the city rejected a canary, the issuer refused it, or a person took it back; the rest waits."""

_t = tables.batches
_invoices, _emitters = tables.invoices, tables.emitters
_TAKEN_BACK: Final = str(BatchState.DISCARDING)
_ACCEPTED: Final = sorted(map(str, (InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.REPLACED)))
_FAILED: Final = sorted(
    map(
        str,
        (
            InvoiceState.REJECTED,
            InvoiceState.REFUSED,
            InvoiceState.DELETED,
            InvoiceState.RETIRED,
            InvoiceState.CANCELLED,
        ),
    )
)


class Verdict(StrEnum):
    """The result of a canary; OPEN while some of its invoices are undecided."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Proven:
    """What had an accepted invoice before: the city, the emitter, the emitter's month, and which templates."""

    city: bool
    emitter: bool
    month: bool
    templates: frozenset[int]

    def is_new(self, template_id: int | None) -> bool:
        """Return whether no invoice with this template was ever accepted."""
        return template_id is not None and template_id not in self.templates

    @property
    def is_new_group(self) -> bool:
        """Return whether city, emitter or month had no accepted invoice before."""
        return not (self.city and self.emitter and self.month)


def find_proven(conn: sa.Connection, emitter_id: int, competence: date, template_ids: Collection[int]) -> Proven:
    """Return whether the emitter's city, the emitter and its month, and which templates, had an accepted invoice."""
    city = sa.select(_emitters.c.city_code).where(_emitters.c.id == emitter_id).scalar_subquery()
    of_city = sa.select(_emitters.c.id).where(_emitters.c.city_code == city)
    is_own = _invoices.c.emitter_id == emitter_id
    seen = sa.select(_invoices.c.template_id).distinct()
    templates = seen.where(is_own, is_in(conn, _invoices.c.template_id, template_ids), _WAS_ACCEPTED)
    return Proven(
        city=_is_any(conn, _invoices.c.emitter_id.in_(of_city)),
        emitter=_is_any(conn, is_own),
        month=_is_any(conn, is_own, _invoices.c.competence == competence),
        templates=frozenset(each for each in conn.execute(templates).scalars() if each is not None),
    )


def has_canary(conn: sa.Connection, reading_id: int, emitter_id: int, competence: date) -> bool:
    """Return whether a reading has a canary batch of this emitter and month that no person discarded."""
    query = sa.select(_t.c.id).where(*_canary_of(reading_id, emitter_id, competence)).limit(1)
    return conn.execute(query).first() is not None


def verdict_of(conn: sa.Connection, reading_id: int, emitter_id: int, competence: date) -> Verdict:
    """Return the result of the canary of this emitter and month. One that a person discarded counts as rejected.

    If a failed invoice was sent again with the same content, the newest invoice of that content counts, in any reading
    and batch. A corrected row proves nothing about the other rows, which still have the rejected content: a person
    decides.
    """
    columns = (_invoices.c.state, _invoices.c.origin_id, _invoices.c.digest)
    own = sa.select(*columns).join(_t, _t.c.id == _invoices.c.batch_id)
    found = conn.execute(own.where(*_canary_of(reading_id, emitter_id, competence))).all()
    # Only failed invoices may have been sent again.
    origins = sorted({origin for state, origin, _ in found if state in _FAILED and origin is not None})
    copies = sa.select(*columns).where(is_in(conn, _invoices.c.origin_id, origins)).order_by(_invoices.c.id)
    newest = {(origin, digest): state for state, origin, digest in conn.execute(copies)} if origins else {}
    states = {newest.get((origin, digest), state) for state, origin, digest in found}
    if not states or states & set(_FAILED):
        return Verdict.REJECTED
    return Verdict.ACCEPTED if states <= set(_ACCEPTED) else Verdict.OPEN


def first_errors(conn: sa.Connection, reading_id: int, emitter_id: int, competence: date) -> list[dict[str, Any]]:
    """Return the errors of this canary's first failed invoice with errors; empty if none has."""
    failed = sa.select(_invoices.c.errors).join(_t, _t.c.id == _invoices.c.batch_id)
    is_failed = _invoices.c.state.in_(_FAILED)
    found = conn.execute(
        failed.where(*_canary_of(reading_id, emitter_id, competence), is_failed).order_by(_invoices.c.id)
    )
    return next((errors for errors in found.scalars() if errors), [])


def last_canary(conn: sa.Connection, reading_id: int, emitter_id: int, competence: date) -> tuple[int, str, bool]:
    """Return the newest canary of this emitter and month, why it was taken back, and whether the issuer refused it."""
    newest = sa.select(sa.func.max(_t.c.id)).where(*_canaries_of(reading_id, emitter_id, competence))
    batch_id = int(conn.execute(newest).scalar_one() or 0)
    why = [each.because for each in events_of(conn, Entity.BATCH, [batch_id]) if each.becomes == _TAKEN_BACK]
    is_refused = _invoices.c.state == str(InvoiceState.REFUSED)
    refused = sa.select(_invoices.c.id).where(_invoices.c.batch_id == batch_id, is_refused).limit(1)
    return batch_id, why[-1] if why else "", conn.execute(refused).first() is not None


def hold(conn: sa.Connection, lease: Lease) -> None:
    """Move approved → held: the batch waits for its canary. Raises `FenceLost`."""
    because = "its canary is not accepted yet"
    move_under(conn, lease, [lease.batch_id], was=BatchState.APPROVED, becomes=BatchState.HELD, because=because)


def let_go(conn: sa.Connection, lease: Lease, *, because: str) -> None:
    """Move held → approved, and close the batch's incident about the canary. Raises `FenceLost`."""
    move_under(conn, lease, [lease.batch_id], was=BatchState.HELD, becomes=BatchState.APPROVED, because=because)
    change = sa.update(_t).where(_t.c.id == lease.batch_id)
    conn.execute(change.values(waits_for_canary=False, due_at=clock(conn)))
    for code in STOPPED:
        close_incidents(conn, by=because, batch_id=lease.batch_id, code=code)


def _canary_of(reading_id: int, emitter_id: int, competence: date) -> tuple[sa.ColumnElement[bool], ...]:
    # A canary that got too old is discarded to be issued under new numbers: it is still the canary.
    gone = (str(BatchState.DISCARDED), str(BatchState.DISCARDING))
    is_current = sa.or_(_t.c.state.not_in(gone), _t.c.renews)
    return (*_canaries_of(reading_id, emitter_id, competence), is_current)


def _canaries_of(reading_id: int, emitter_id: int, competence: date) -> tuple[sa.ColumnElement[bool], ...]:
    return _t.c.reading_id == reading_id, _t.c.emitter_id == emitter_id, _t.c.competence == competence, _t.c.is_canary


def _is_any(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> bool:
    found: Any = conn.execute(sa.select(_invoices.c.id).where(*conditions, _WAS_ACCEPTED).limit(1)).first()
    return found is not None


_WAS_ACCEPTED: Final = _invoices.c.state.in_([*_ACCEPTED, str(InvoiceState.CANCELLED)])
