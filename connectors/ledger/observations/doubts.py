"""Settle doubts: a note whose answer was lost is adopted, proved absent by two listings, or left to a person."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.database.sql import Instant, Kinds, Statement, is_in, lock_until_end, param, values
from connectors.ledger.incidents import open_incident
from connectors.ledger.leases import Lease, check, is_staged, move_under
from connectors.ledger.observations.patience import most_doubts, quiet_end
from domain.problems import FaturistaError, Problem
from domain.states import FILLING, BatchState, InvoiceState

_t = tables.invoices

SUSPENDING: Final = "batch.answer_differs"
"""Code of the incident that also stops the posting of other batches' first notes."""
_STOPPING: Final = (SUSPENDING, "batch.post_disturbed", "batch.id_seen_before", "batch.other_customer")
"""Codes of incidents about a batch's first note that stop the batch."""
_UNDER_WAY: Final = sorted(str(state) for state in (InvoiceState.PROCESSING, InvoiceState.CANCELLING))
_UNSETTLED: Final = sorted(str(state) for state in (InvoiceState.RESERVED, InvoiceState.POSTING, InvoiceState.IN_DOUBT))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNote:
    """A note of ours that a stable listing or a read by its id showed. Its content was compared and is equal."""

    invoice_id: int
    remote_id: int
    state: InvoiceState
    answer_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """Invoice ids by result.

    `reserved`: absence is proved, so the note may be posted again. `unresolved`: absence was proved too often, so a
    person decides (`observations.patience`). `waiting`: only one listing lacked it, it is too early, or it has a remote
    id.
    """

    reserved: list[int]
    unresolved: list[int]
    waiting: list[int]


class HeldBack(FaturistaError):
    """A batch must not post its first note yet, because the batch `batch_id` blocks it.

    `why` names what the blocking batch waits for: a "doubt" about its first note to be settled, the "answer" to its
    first post, or a person's "decision".
    """

    def __init__(self, why: Literal["doubt", "answer", "decision"], batch_id: int) -> None:
        code = "batch.suspended" if why == "decision" else "batch.first_in_doubt"
        super().__init__(Problem(code, params={"batch": batch_id}))
        self.why = why
        self.batch_id = batch_id


def adopt_notes(conn: sa.Connection, lease: Lease, found: Sequence[FoundNote]) -> list[int]:
    """Store the ids and states that the provider showed for invoices in doubt. Return the ids that moved.

    For an issuer without staging, the shown state is never `created` or `scheduled`. Raises `FenceLost`.
    """
    check(conn, lease)
    doubted = _in_doubt(conn, lease, [each.invoice_id for each in found])
    found = [each for each in found if each.invoice_id in doubted]
    if not found:
        return []
    kinds: Kinds = {"id": sa.BigInteger(), "remote_id": sa.BigInteger(), "answer_digest": sa.Text()}
    rows = [(each.invoice_id, each.remote_id, each.answer_digest) for each in found]
    given = values(conn, "given", kinds, rows)
    conn.execute(
        sa.update(_t)
        .where(_t.c.id == given.c.id)
        .values(remote_id=given.c.remote_id, answer_digest=given.c.answer_digest, absent_at=None)
    )
    moved: list[int] = []
    for state in {each.state for each in found}:
        ids = [each.invoice_id for each in found if each.state is state]
        seen = transitions.observe(conn, ids, becomes=state, because="found at the provider", fence=lease.fence)
        moved += [each.id for each in seen if each.moved]
    return sorted(moved)


def held_back(conn: sa.Connection, batch_id: int, *, is_posting: bool = False) -> HeldBack | None:
    """Return why this batch must not post its first note, or None. With `is_posting`, a post in flight blocks, too.

    If the provider stopped adding notes to their batches, each new batch would lose its first note: at most one may be
    lost. So no first note is posted while another batch's first note is in doubt or waits for a decision.
    """
    doubted = _FIRST_DOUBTED(conn, batch=batch_id).scalar_one_or_none()
    if doubted is not None:
        return HeldBack("doubt", doubted)
    suspended = _find_suspended(conn, batch=batch_id).scalar_one_or_none()
    if suspended is not None:
        return HeldBack("decision", suspended)
    posted = _FIRST_POSTED(conn, batch=batch_id).scalar_one_or_none() if is_posting else None
    return None if posted is None else HeldBack("answer", posted)


def _suspending() -> sa.Select[Any]:
    """Find the batches that wait for a decision and hold back the filling of all others, the oldest incident first.

    Only an issuer that stages joins invoices to batches: an incident of another issuer says nothing about that.
    """
    table, batches = tables.incidents, tables.batches
    joined = sa.join(table, batches, table.c.batch_id == batches.c.id)
    query = sa.select(table.c.batch_id).select_from(joined).where(batches.c.is_staged)
    return query.where(table.c.code == SUSPENDING, table.c.closed_at.is_(None)).order_by(table.c.id)


@Statement
def _find_suspended(_conn: sa.Connection) -> sa.Select[Any]:
    return _suspending().where(tables.incidents.c.batch_id != param("batch")).limit(1)


def suspended_batches(conn: sa.Connection) -> dict[int, int]:
    """Return the batches that must not be filled until a person decides about another batch: id → that batch's id.

    One such decision suspends the batches of every company, because all invoices join their batches in the same way.
    """
    suspending = list(conn.execute(_suspending()).scalars())
    if not suspending:
        return {}
    batches = tables.batches
    is_filled = batches.c.state.in_(sorted(map(str, FILLING)))
    query = sa.select(batches.c.id).where(batches.c.is_staged, is_filled).order_by(batches.c.id)
    others = ((each, [other for other in suspending if other != each]) for each in conn.execute(query).scalars())
    return {each: found[0] for each, found in others if found}


def stored_problem(conn: sa.Connection, batch_id: int) -> Problem | None:
    """Return the oldest open incident about this batch's first note, as a problem. Its worker may have died since."""
    found = _find_incident(conn, batch=batch_id).one_or_none()
    return None if found is None else Problem(found.code, params=found.params)


@Statement
def _find_incident(_conn: sa.Connection) -> sa.Select[Any]:
    table = tables.incidents
    newest = sa.select(table.c.code, table.c.params).where(
        table.c.batch_id == param("batch"), table.c.code.in_(_STOPPING), table.c.closed_at.is_(None)
    )
    return newest.order_by(table.c.id).limit(1)


def hold_back_first(conn: sa.Connection, batch_id: int) -> None:
    """Prevent two batches from posting their first notes at once, in any process. Raises `HeldBack`.

    Call it in the transaction that moves the note to `posting`: the next caller, in any process, sees that state.
    """
    lock_until_end(conn, _FIRST_NOTES)
    held = held_back(conn, batch_id, is_posting=True)
    if held is not None:
        raise held


def _first_unknown(states: Collection[InvoiceState]) -> Statement:
    """Find another open batch with an invoice in one of `states` and without any `created` invoice."""
    batches = tables.batches

    def has_note(*states: InvoiceState) -> sa.Exists:
        # Search batch by batch: open batches are few, notes are many.
        return sa.exists().where(_t.c.batch_id == batches.c.id, _t.c.state.in_(sorted(map(str, states))))

    query = (
        sa.select(batches.c.id)
        .where(batches.c.state == str(BatchState.OPEN), batches.c.id != param("batch"))
        .where(has_note(*states), ~has_note(InvoiceState.CREATED))
        .order_by(batches.c.id)
        .limit(1)
    )
    return Statement(lambda _conn: query)


def settle_absent(
    conn: sa.Connection,
    lease: Lease,
    ids: Sequence[int],
    *,
    listed_at: datetime,
    quiet_s: float,
    request_timeout_s: float,
) -> Settled:
    """Settle invoices in doubt that a stable listing, begun at `listed_at`, did not show. Raises `FenceLost`.

    The first such listing is stored. A later one proves the absence if it began after the quiet time
    (`observations.patience.quiet_end`). A note with a remote id is never absent: it stays in doubt.
    """
    is_batch_staged = is_staged(conn, lease)
    refused = _refused_last(conn, ids)
    settled: dict[str, list[int]] = {"reserved": [], "unresolved": [], "waiting": []}
    first_seen = []
    for each in _in_doubt(conn, lease, ids).values():
        end = quiet_end(
            each.last_byte_at,
            lease.settle_after,
            each.doubts,
            quiet_s=quiet_s,
            request_timeout_s=request_timeout_s,
        )
        most = most_doubts(is_staged=is_batch_staged, is_refused=each.id in refused)
        if each.absent_at is None:
            first_seen.append(each.id)
        is_second = each.absent_at is not None and each.absent_at < listed_at
        if each.remote_id is not None or not is_second or listed_at < end:
            settled["waiting"].append(each.id)
        else:
            settled["reserved" if each.doubts < most else "unresolved"].append(each.id)
    conn.execute(sa.update(_t).where(is_in(conn, _t.c.id, first_seen)).values(absent_at=listed_at))
    for state in (InvoiceState.RESERVED, InvoiceState.UNRESOLVED):
        because = "absent from two stable listings"
        transitions.move(
            conn, settled[state], was=InvoiceState.IN_DOUBT, becomes=state, because=because, fence=lease.fence
        )
    conn.execute(sa.update(_t).where(is_in(conn, _t.c.id, settled["reserved"])).values(absent_at=None))
    return Settled(**settled)


def _refused_last(conn: sa.Connection, ids: Sequence[int]) -> set[int]:
    """Return the notes whose latest post was refused."""
    table = tables.attempts
    latest = (
        sa.select(sa.func.max(table.c.id))
        .where(is_in(conn, table.c.invoice_id, ids), table.c.what == "post")
        .group_by(table.c.invoice_id)
    )
    query = sa.select(table.c.invoice_id).where(table.c.id.in_(latest), table.c.outcome == "refused")
    return set(conn.execute(query).scalars())


def settle_unknowable(conn: sa.Connection, lease: Lease, ids: Sequence[int], *, because: str) -> list[int]:
    """Move invoices in doubt to `unresolved` where no lookup is possible: a person decides. Return the ids that moved.

    Raises `FenceLost`.
    """
    return move_under(conn, lease, ids, was=InvoiceState.IN_DOUBT, becomes=InvoiceState.UNRESOLVED, because=because)


def unresolved_of(conn: sa.Connection, batch_id: int) -> Problem:
    """Return the problem that asks a person about the batch's unresolved invoices, by number and ledger id."""
    return _unresolved_problem(batch_id, conn.execute(_select_unresolved(batch_id)).all())


def record_unresolved(conn: sa.Connection, batch_id: int) -> list[int]:
    """Open an incident for each unresolved invoice of the batch. Return the invoices' ids.

    The invoices stay locked until the transaction ends, so nobody can decide about one while its incident is opened.
    """
    found = conn.execute(_select_unresolved(batch_id).with_for_update()).all()
    for each in found:
        asked = _unresolved_problem(batch_id, [each])
        open_incident(conn, code=asked.code, params=asked.params, batch_id=batch_id, invoice_id=each.id)
    return [each.id for each in found]


def waiting_doubts(conn: sa.Connection) -> tuple[int, datetime | None]:
    """Count the invoices in doubt that a later look settles, and return when their first batch is due.

    Leave out stopped batches, which wait for a person.
    """
    batches = tables.batches
    query = (
        sa.select(sa.func.count(), sa.func.min(batches.c.due_at, type_=Instant))
        .select_from(_t.join(batches, batches.c.id == _t.c.batch_id))
        .where(_t.c.state == str(InvoiceState.IN_DOUBT), batches.c.state != str(BatchState.DISTURBED))
    )
    count, due_at = conn.execute(query).one()
    return int(count), due_at


def undecided_batches(conn: sa.Connection, *, unread: Collection[str]) -> set[int]:
    """Return the batches of issuers without staging whose open invoices only a person can decide.

    Such invoices are `unresolved`, or under way at an issuer in `unread`, whose invoices nobody can read.
    """
    batches = tables.batches
    invoices_in = sa.select(_t.c.id).where(_t.c.batch_id == batches.c.id)
    is_unread = batches.c.issuer.in_(sorted(unread))
    is_under_way = invoices_in.where(_t.c.state.in_(_UNDER_WAY)).exists()
    query = sa.select(batches.c.id).where(
        ~batches.c.is_staged,
        batches.c.state.in_([str(state) for state in (BatchState.SCHEDULED, BatchState.PROCESSING)]),
        invoices_in.where(_t.c.state == str(InvoiceState.UNRESOLVED)).exists() | is_under_way,
        ~invoices_in.where(_t.c.state.in_(_UNSETTLED)).exists(),
        is_unread | ~is_under_way,
    )
    return set(conn.execute(query).scalars())


def _select_unresolved(batch_id: int) -> sa.Select[Any]:
    wanted = sa.and_(_t.c.batch_id == batch_id, _t.c.state == str(InvoiceState.UNRESOLVED))
    return sa.select(_t.c.id, _t.c.serie, _t.c.number).where(wanted).order_by(_t.c.id)


def _unresolved_problem(batch_id: int, found: Sequence[sa.Row[Any]]) -> Problem:
    named = ", ".join(f"{each.serie}-{each.number} ({each.id})" for each in found[:_NAMED])
    return Problem("batch.unresolved", params={"batch": batch_id, "notes": named + " …" * (len(found) > _NAMED)})


def _in_doubt(conn: sa.Connection, lease: Lease, ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    """Lock and return the batch's invoices among `ids` that are in doubt."""
    query = sa.select(_t.c.id, _t.c.remote_id, _t.c.doubts, _t.c.last_byte_at, _t.c.absent_at).where(
        is_in(conn, _t.c.id, ids), _t.c.batch_id == lease.batch_id, _t.c.state == str(InvoiceState.IN_DOUBT)
    )
    return {row.id: row for row in conn.execute(query.order_by(_t.c.id).with_for_update())}


_POSTED: Final = frozenset(
    {
        InvoiceState.POSTING,
        InvoiceState.SCHEDULED,
        InvoiceState.PROCESSING,
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.CANCELLING,
        InvoiceState.CANCELLED,
        InvoiceState.REPLACED,
    }
)
"""States of a first note whose post is in flight, or that was posted but does not wait in its batch."""
_FIRST_DOUBTED: Final = _first_unknown({InvoiceState.IN_DOUBT})
_FIRST_POSTED: Final = _first_unknown(_POSTED)
_FIRST_NOTES: Final = 0xFA7053
_NAMED: Final = 20
