"""Plan batches and move them: open, stage, reopen, send, disturb, and decide about a disturbed one.

An issuer without staging has no batches of its own: each post issues an invoice. Staging such a batch only freezes its
content (`freeze_payloads`). Its invoices are posted while it is `sending`; then it is marked as sent.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import approvals, invoices, numbers, parties, tables, transitions
from connectors.ledger.canaries import Role
from connectors.ledger.database.sql import Statement, clock, is_in, param
from connectors.ledger.incidents import BY_ITSELF, UNREADABLE, close_incidents, open_incident
from connectors.ledger.leases import Lease, check, evict
from domain.problems import FaturistaError, IllegalTransition, Problem
from domain.states import LIVING, BatchState, InvoiceState, can_move

_t = tables.batches
_invoices = tables.invoices


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch in the ledger. `count` and `total_cents` are those of its plan, and from staging on of its proof."""

    id: int
    reading_id: int
    emitter_id: int
    kind: str
    issuer: str
    is_staged: bool
    competence: date
    ordinal: int
    revision: int
    state: BatchState
    name: str | None
    remote_id: int | None
    emission_at: datetime | None
    count: int
    total_cents: int
    digest: str | None
    fence: int
    lease_owner: str | None
    lease_until: datetime | None
    settle_after: datetime | None
    must_list: bool
    is_canary: bool
    waits_for_canary: bool
    proven_by: str | None
    due_at: datetime
    looks: int
    counters: dict[str, int] | None
    last_answer_at: datetime | None
    sent_at: datetime | None
    closed_at: datetime | None
    recounted_at: datetime | None


def plan_batch(
    conn: sa.Connection,
    *,
    reading_id: int,
    emitter_id: int,
    competence: date,
    ordinal: int,
    invoice_ids: Sequence[int],
    serie: str,
    role: Role = "plain",
) -> int | None:
    """Create a `planned` batch of these invoices and reserve their numbers in this order. Return its id.

    Leave out invoices that are not `drafted` any more. Return None if no draft is left (another worker was first). A
    `canary` goes first, and the `rest` waits for it. The serie must have been started (`numbers.start_serie`).
    """
    free = sa.select(_invoices.c.id, _invoices.c.service_cents).where(
        is_in(conn, _invoices.c.id, invoice_ids),
        _invoices.c.emitter_id == emitter_id,
        _invoices.c.state == str(InvoiceState.DRAFTED),
        _invoices.c.batch_id.is_(None),
    )
    cents = {row.id: row.service_cents for row in conn.execute(free.order_by(_invoices.c.id).with_for_update())}
    ids = [each for each in invoice_ids if each in cents]
    if not ids:
        return None
    line = {
        "reading_id": reading_id,
        "emitter_id": emitter_id,
        "competence": competence,
        "ordinal": ordinal,
        "state": str(BatchState.PLANNED),
        "count": len(ids),
        "total_cents": sum(cents.values()),
        "due_at": clock(conn),
        "is_canary": role == "canary",
        "waits_for_canary": role == "rest",
    }
    made = conn.execute(sa.insert(_t).values(**line, **parties.issued_by(conn, emitter_id)).returning(_t.c.id))
    batch_id = int(made.scalar_one())
    transitions.record_first_states(conn, [batch_id], state=BatchState.PLANNED, because="planned")
    numbers.reserve(conn, emitter_id, serie, ids, batch_id=batch_id)
    return batch_id


def name_opening(conn: sa.Connection, lease: Lease, name: str) -> BatchRecord:
    """Move planned → opening: store the name (with its nonce) before the request that creates the batch.

    Set the batch's emission instant to now by the database's clock if it has none. Raises `FenceLost`.
    """
    check(conn, lease)
    _move_batch(conn, lease, BatchState.PLANNED, BatchState.OPENING, because="about to create it at the provider")
    _set(conn, lease.batch_id, name=name, emission_at=sa.func.coalesce(_t.c.emission_at, clock(conn)))
    return batch_of(conn, lease.batch_id)


def mark_opened(conn: sa.Connection, lease: Lease, remote_id: int) -> BatchRecord:
    """Move opening → open and store the provider's id. Raises `FenceLost`."""
    check(conn, lease)
    _set(conn, lease.batch_id, remote_id=remote_id)
    _move_batch(conn, lease, BatchState.OPENING, BatchState.OPEN, because="stands at the provider")
    return batch_of(conn, lease.batch_id)


def replan_batch(conn: sa.Connection, lease: Lease, remote_id: int | None = None) -> BatchRecord:
    """Move opening → planned, because the provider has no usable batch of the present name.

    Store the name as an orphan, with its id at the provider if known: a batch of that name may still exist there, so
    the next opening takes a new name. Raises `FenceLost`.
    """
    check(conn, lease)
    _move_batch(conn, lease, BatchState.OPENING, BatchState.PLANNED, because="given up by this name")
    orphans = tables.orphans
    line = sa.select(_t.c.id, _t.c.name, sa.literal(remote_id, sa.BigInteger), clock(conn))
    columns = ["batch_id", "name", "remote_id", "at"]
    conn.execute(sa.insert(orphans).from_select(columns, line.where(_t.c.id == lease.batch_id)))
    _set(conn, lease.batch_id, name=None)
    return batch_of(conn, lease.batch_id)


def mark_staged(
    conn: sa.Connection, lease: Lease, *, digest: str, proven_by: str, counters: Mapping[str, int]
) -> BatchRecord:
    """Move open → staged, with count and total of the `created` invoices. `proven_by` is "counted" or "listed".

    An invoice that a person declared issued outside of the batch does not count. Raises `FenceLost`, and
    `FaturistaError` when another living invoice is not `created` (`batch.unsettled`) or none is (`batch.empty`).
    """
    check(conn, lease)
    count, cents = _all_living(conn, lease.batch_id, InvoiceState.CREATED, but=InvoiceState.ACCEPTED)
    _set(
        conn,
        lease.batch_id,
        digest=digest,
        proven_by=proven_by,
        counters=dict(counters),
        count=count,
        total_cents=cents,
        due_at=clock(conn),
    )
    _move_batch(conn, lease, BatchState.OPEN, BatchState.STAGED, because=f"proven: {proven_by}")
    close_incidents(conn, by=BY_ITSELF, batch_id=lease.batch_id, code=UNREADABLE)
    return batch_of(conn, lease.batch_id)


def freeze_payloads(conn: sa.Connection, lease: Lease, *, digest: str) -> BatchRecord:
    """Move planned | opening | open → staged without a request, for an issuer without staging.

    `digest` covers the content to be posted. Count and total are those of the invoices, which must all be `reserved`;
    `proven_by` is "fixed". Raises `FenceLost`; `IllegalTransition`, also for an issuer that stages; and
    `FaturistaError` when a living invoice is not `reserved` (`batch.unsettled`) or none is (`batch.empty`).
    """
    state = check(conn, lease)
    if not _is_unstaged(conn, lease.batch_id):
        raise _illegal_move(state, BatchState.STAGED)
    count, cents = _all_living(conn, lease.batch_id, InvoiceState.RESERVED)
    for was, becomes in pairwise((BatchState.PLANNED, BatchState.OPENING, BatchState.OPEN)):
        if state is was:
            _move_batch(conn, lease, was, becomes, because="stands here alone")
            state = becomes
    fixed = {"digest": digest, "proven_by": "fixed", "count": count, "total_cents": cents}
    _set(conn, lease.batch_id, **fixed, due_at=clock(conn))
    _move_batch(conn, lease, BatchState.OPEN, BatchState.STAGED, because="payloads fixed")
    return batch_of(conn, lease.batch_id)


def reopen(conn: sa.Connection, lease: Lease, *, because: str) -> int:
    """Move staged | approved | held → open with a new revision, and void the approval. Return the revision.

    The batch's emission instant becomes now, unless a note at the provider may have the old one, or the issuer does not
    stage. Raises `FenceLost`, `IllegalTransition`.
    """
    _move_batch(conn, lease, check(conn, lease), BatchState.OPEN, because=because)
    return _next_revision(conn, lease.batch_id, because=because)


def disturb(
    conn: sa.Connection, batch_id: int, *, code: str, params: Mapping[str, str | int], lease: Lease | None = None
) -> bool:
    """Move the batch to `disturbed`, so that all work on it stops, and open an incident.

    If `lease` is None, take the batch from its present worker. Return False if the batch's state cannot become
    `disturbed` any more; the incident is opened even then. Raises `FenceLost` for a lease that has ended.
    """
    if lease is not None:
        check(conn, lease)
    state = BatchState(conn.execute(sa.select(_t.c.state).where(_t.c.id == batch_id).with_for_update()).scalar_one())
    open_incident(conn, code=code, params=params, batch_id=batch_id)
    if not can_move(state, BatchState.DISTURBED):
        return False
    if lease is None:
        evict(conn, batch_id)
    fence = None if lease is None else lease.fence
    transitions.move(conn, [batch_id], was=state, becomes=BatchState.DISTURBED, because=code, fence=fence)
    _set(conn, batch_id, must_list=True)
    return True


def decide(conn: sa.Connection, batch_id: int, *, becomes: BatchState, person: str, because: str) -> None:
    """Store a person's decision about a disturbed batch and close its incidents.

    `becomes` is `open` (with a new revision), `discarding` or `scheduled`. Raises `IllegalTransition`, and
    `FaturistaError` when the batch is not disturbed or was never opened (`batch.not_disturbed`, `batch.never_opened`).
    """
    batch = batch_of(conn, batch_id)
    if becomes is not BatchState.DISCARDING and batch.remote_id is None and batch.is_staged:
        raise FaturistaError(Problem("batch.never_opened", params={"batch": batch_id}))
    why = f"{person}: {because}"
    if not transitions.move(conn, [batch_id], was=BatchState.DISTURBED, becomes=becomes, because=why):
        raise FaturistaError(Problem("batch.not_disturbed", params={"batch": batch_id, "state": str(batch.state)}))
    if becomes is BatchState.OPEN:
        _next_revision(conn, batch_id, because=why)
    elif becomes is BatchState.DISCARDING:
        approvals.void_approval(conn, batch_id, because=why)
        # If the pipeline had discarded the batch to issue it under new numbers, the person's decision replaces that.
        _set(conn, batch_id, renews=False)
    else:
        _set(conn, batch_id, sent_at=sa.func.coalesce(_t.c.sent_at, clock(conn)))
    _set(conn, batch_id, due_at=clock(conn))
    close_incidents(conn, by=person, batch_id=batch_id)


def mark_sent(conn: sa.Connection, lease: Lease, *, counters: Mapping[str, int], is_ours: bool = True) -> None:
    """Move sending → scheduled, and the batch's `created` notes with it. Raises `FenceLost`.

    `is_ours` False: a lookup found it sent, perhaps by somebody else. For an issuer without staging, an invoice that is
    not posted yet or in doubt raises `FaturistaError` (`batch.unsettled`), and count and total become those of the
    invoices that are neither refused nor retired.
    """
    check(conn, lease)
    if _is_unstaged(conn, lease.batch_id):
        _store_issued_counts(conn, lease.batch_id)
    _move_batch(conn, lease, BatchState.SENDING, BatchState.SCHEDULED, because="sent" if is_ours else "found sent")
    notes = conn.execute(
        sa.select(_invoices.c.id).where(
            _invoices.c.batch_id == lease.batch_id, _invoices.c.state == str(InvoiceState.CREATED)
        )
    ).scalars()
    transitions.move(
        conn,
        list(notes),
        was=InvoiceState.CREATED,
        becomes=InvoiceState.SCHEDULED,
        because="batch sent",
        fence=lease.fence,
    )
    _set(conn, lease.batch_id, counters=dict(counters), sent_at=clock(conn), due_at=clock(conn), looks=0)


def batch_of(conn: sa.Connection, batch_id: int) -> BatchRecord:
    """Return one batch. Raises `FaturistaError` (`batch.not_found`)."""
    found = _find(conn, batch=batch_id).one_or_none()
    if found is None:
        raise FaturistaError(Problem("batch.not_found", params={"batch": batch_id}))
    return _record(found)


@Statement
def _find(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(*_RECORD).where(_t.c.id == param("batch"))


def batches_where(
    conn: sa.Connection, *, states: Collection[BatchState] | None = None, reading_id: int | None = None
) -> list[BatchRecord]:
    """Return the batches in any of `states` and of one reading, oldest first. None sets no condition."""
    query = sa.select(*_RECORD).order_by(_t.c.id)
    if states is not None:
        query = query.where(_t.c.state.in_([str(state) for state in states]))
    if reading_id is not None:
        query = query.where(_t.c.reading_id == reading_id)
    return [_record(row) for row in conn.execute(query)]


def orphans_of(conn: sa.Connection, batch_id: int | None = None) -> list[tuple[int, str, int | None]]:
    """Return empty batches that may exist at the provider: (our batch, name it gave up, id at the provider or None)."""
    orphans = tables.orphans
    query = sa.select(orphans.c.batch_id, orphans.c.name, orphans.c.remote_id).order_by(orphans.c.id)
    if batch_id is not None:
        query = query.where(orphans.c.batch_id == batch_id)
    return [(row.batch_id, row.name, row.remote_id) for row in conn.execute(query)]


def _move_batch(conn: sa.Connection, lease: Lease, was: BatchState, becomes: BatchState, *, because: str) -> None:
    """Move the lease's batch, which `check` has locked. Raises `IllegalTransition` when its state is not `was`."""
    if not transitions.move(conn, [lease.batch_id], was=was, becomes=becomes, because=because, fence=lease.fence):
        raise _illegal_move(check(conn, lease), becomes)


def _illegal_move(was: BatchState, becomes: BatchState) -> IllegalTransition:
    return IllegalTransition(Problem("state.illegal_move", params={"entity": "batch", "was": was, "becomes": becomes}))


def _is_unstaged(conn: sa.Connection, batch_id: int) -> bool:
    return not conn.execute(sa.select(_t.c.is_staged).where(_t.c.id == batch_id)).scalar_one()


def _all_living(
    conn: sa.Connection, batch_id: int, state: InvoiceState, *, but: InvoiceState | None = None
) -> tuple[int, int]:
    """Return count and cents of the batch's invoices in `state`; raise unless all living ones are in it or in `but`."""
    per_state = invoices.sums_by_state(conn, batch_id)
    unsettled = sum(count for each, (count, _) in per_state.items() if each in LIVING - {state, but})
    if unsettled:
        raise FaturistaError(Problem("batch.unsettled", params={"batch": batch_id, "count": unsettled}))
    if state not in per_state:
        raise FaturistaError(Problem("batch.empty", params={"batch": batch_id}))
    return per_state[state]


def _store_issued_counts(conn: sa.Connection, batch_id: int) -> None:
    per_state = invoices.sums_by_state(conn, batch_id)
    unissued = sum(count for each, (count, _) in per_state.items() if each in _NOT_ISSUED)
    if unissued:
        raise FaturistaError(Problem("batch.unsettled", params={"batch": batch_id, "count": unissued}))
    issued = [each for state, each in per_state.items() if state not in _NEVER_THERE]
    _set(conn, batch_id, count=sum(count for count, _ in issued), total_cents=sum(cents for _, cents in issued))


def _set(conn: sa.Connection, batch_id: int, **columns: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.id == batch_id).values(**columns))


def _next_revision(conn: sa.Connection, batch_id: int, *, because: str) -> int:
    approvals.void_approval(conn, batch_id, because=because)
    # Notes at the provider keep the emission instant with which they were posted, and the release checks it.
    bear_it = sa.exists().where(
        _invoices.c.batch_id == _t.c.id, _invoices.c.state.in_([str(each) for each in _MAY_STAND_THERE])
    )
    _set(
        conn,
        batch_id,
        revision=_t.c.revision + 1,
        digest=None,
        proven_by=None,
        emission_at=sa.case((sa.or_(bear_it, ~_t.c.is_staged), _t.c.emission_at), else_=clock(conn)),
        due_at=clock(conn),
    )
    return batch_of(conn, batch_id).revision


def _record(row: Iterable[Any]) -> BatchRecord:
    values = list(row)
    values[_STATE] = BatchState(values[_STATE])
    return BatchRecord(*values)


_MAY_STAND_THERE: Final = (InvoiceState.IN_DOUBT, InvoiceState.UNRESOLVED, InvoiceState.CREATED)
_NOT_ISSUED: Final = (InvoiceState.DRAFTED, InvoiceState.RESERVED, InvoiceState.POSTING, InvoiceState.IN_DOUBT)
_NEVER_THERE: Final = (InvoiceState.REFUSED, InvoiceState.RETIRED)
_RECORD: Final = [_t.c[field.name] for field in fields(BatchRecord)]
_STATE: Final = [field.name for field in fields(BatchRecord)].index("state")
