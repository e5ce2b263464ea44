"""Intents and outcomes of posting notes, by the group and under the fence; doubts, and how they end.

`begin_posting` commits before the first byte may leave; `end_posting` writes what was answered. Both are one short
transaction for a whole group. A note whose answer never came is `in_doubt`: it is settled by looking, and posted again
only after its absence is proved twice.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import attempts, moves, tables
from connectors.ledger.claims import Lease, check, renew
from connectors.ledger.sql import Instant, Kinds, clock, is_in, values
from domain.problems import Problem
from domain.states import BatchState, InvoiceState

_t = tables.invoices

Outcome = Literal["created", "not_sent", "refused", "doubtful", "disturbed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOutcome:
    """What one POST came to. `created` needs `remote_id` and `answer_digest`; `observed` is the state answered with a
    `disturbed` one that has an id; `detail` names the error for the journal (no personal data)."""

    attempt_id: int
    invoice_id: int
    outcome: Outcome
    observed: InvoiceState | None = None
    status: int | None = None
    remote_id: int | None = None
    answer_digest: str | None = None
    last_byte_at: datetime | None = None
    detail: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """The renewed lease, and the attempt of each note that may now be posted. A note that is missing was not
    `reserved` any more: it must not be posted."""

    lease: Lease
    attempts: dict[int, int]


@dataclass(frozen=True, slots=True)
class Ended:
    """Ids by what became of them. `clashing`: answered with an id that another invoice holds (they are in doubt);
    stop posting and disturb the batch."""

    created: list[int]
    reserved: list[int]
    refused: list[int]
    in_doubt: list[int]
    observed: list[int]
    clashing: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNote:
    """A note of ours, seen in a stable listing or read by its id, content compared and equal."""

    invoice_id: int
    remote_id: int
    state: InvoiceState
    answer_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """`reserved`: absence proved, may be posted again. `unresolved`: doubted twice, a person decides. `waiting`: seen
    absent once, or too early."""

    reserved: list[int]
    unresolved: list[int]
    waiting: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """One note as reconcile reads it."""

    invoice_id: int
    state: InvoiceState
    remote_id: int | None = None
    nfse_number: str | None = None
    nfse_key: str | None = None
    errors: Sequence[Mapping[str, Any]] = field(default=())


def begin_posting(conn: sa.Connection, lease: Lease, ids: Sequence[int], *, seconds: float) -> Begun:
    """Renew the lease, mark the group `posting`, write one attempt each.

    Commit before the first byte leaves. Raises `FenceLost`, also when the batch is not `open`.
    """
    lease = renew(conn, lease, seconds=seconds, state=BatchState.OPEN)
    moved = moves.move(
        conn,
        ids,
        was=InvoiceState.RESERVED,
        becomes=InvoiceState.POSTING,
        because="about to post",
        fence=lease.fence,
        only_where=_t.c.batch_id == lease.batch_id,
    )
    if not moved:
        return Begun(lease, {})
    _mark_numbers(conn, moved)
    return Begun(lease, attempts.begin_group(conn, lease, "post", moved))


def end_posting(conn: sa.Connection, lease: Lease, outcomes: Sequence[PostOutcome]) -> Ended:
    """Write the outcomes of a group. Raises `FenceLost` and writes nothing when the batch is no longer ours.

    created → `created`; not_sent → `reserved`; refused → `refused`, number retired, problems kept on the invoice (but
    after an earlier doubt a refusal is itself a doubt); doubtful → `in_doubt`; disturbed → the answered state when the
    note has an id, else `in_doubt`. A note that is not `posting` any more keeps its state.
    """
    check(conn, lease)
    doubts = _doubts_of_posting(conn, lease, outcomes)
    held = _held_remote_ids(conn, outcomes)
    fates: dict[str, list[PostOutcome]] = {fate: [] for fate in _FATES}
    clashing = []
    for each in outcomes:
        if each.invoice_id not in doubts:
            continue
        is_clashing = each.remote_id is not None and held.get(each.remote_id, each.invoice_id) != each.invoice_id
        if is_clashing:
            clashing.append(each.invoice_id)
        elif each.remote_id is not None:
            held[each.remote_id] = each.invoice_id
        fates[_fate(each, is_clashing=is_clashing, doubts=doubts[each.invoice_id])].append(each)
    ended = Ended(
        **{fate: _apply(conn, lease, fate, group, clashing) for fate, group in fates.items()}, clashing=clashing
    )
    attempts.end_group(
        conn,
        lease,
        [
            attempts.End(
                attempt_id=each.attempt_id,
                outcome="done" if each.outcome == "created" else each.outcome,
                status=each.status,
                remote_id=each.remote_id,
                last_byte_at=each.last_byte_at,
                detail=each.detail,
            )
            for each in outcomes
        ],
    )
    batches = tables.batches
    is_shaken = sa.literal(bool(ended.in_doubt or ended.observed))
    conn.execute(
        sa.update(batches)
        .where(batches.c.id == lease.batch_id)
        .values(last_answer_at=clock(conn), must_list=sa.or_(batches.c.must_list, is_shaken))
    )
    return ended


def adopt_notes(conn: sa.Connection, lease: Lease, found: Sequence[FoundNote]) -> list[int]:
    """Notes in doubt that were found: they take the id and the state that was seen. Returns the ids that moved.

    Raises `FenceLost`.
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
        seen = moves.observe(conn, ids, becomes=state, because="found at the provider", fence=lease.fence)
        moved += [each.id for each in seen if each.moved]
    return sorted(moved)


def settle_absent(
    conn: sa.Connection,
    lease: Lease,
    ids: Sequence[int],
    *,
    listed_at: datetime,
    quiet_s: float,
    request_timeout_s: float,
) -> Settled:
    """Notes in doubt that a stable listing, begun at `listed_at`, lacked. Raises `FenceLost`.

    The first such listing is remembered. A later one, begun at least `quiet_s` after the note's last byte (and
    `request_timeout_s` + `quiet_s` after the end of a lease that was taken over), proves absence. A note that ever had
    an id is never absent.
    """
    check(conn, lease)
    quiet = timedelta(seconds=quiet_s)
    quiet_from = None if lease.settle_after is None else lease.settle_after + timedelta(seconds=request_timeout_s)
    fates: dict[str, list[int]] = {"reserved": [], "unresolved": [], "waiting": []}
    first_seen = []
    for each in _in_doubt(conn, lease, ids).values():
        last_byte_at = max(at for at in (each.last_byte_at, quiet_from, _LONG_AGO) if at is not None)
        if each.absent_at is None:
            first_seen.append(each.id)
        is_second = each.absent_at is not None and each.absent_at < listed_at
        if each.remote_id is not None or not is_second or listed_at < last_byte_at + quiet:
            fates["waiting"].append(each.id)
        else:
            fates["reserved" if each.doubts < _DOUBTS_FOR_A_PERSON else "unresolved"].append(each.id)
    conn.execute(sa.update(_t).where(is_in(conn, _t.c.id, first_seen)).values(absent_at=listed_at))
    for state in (InvoiceState.RESERVED, InvoiceState.UNRESOLVED):
        because = "absent from two stable listings"
        moves.move(conn, fates[state], was=InvoiceState.IN_DOUBT, becomes=state, because=because, fence=lease.fence)
    conn.execute(sa.update(_t).where(is_in(conn, _t.c.id, fates["reserved"])).values(absent_at=None))
    return Settled(**fates)


def observe_notes(conn: sa.Connection, batch_id: int, views: Sequence[NoteView]) -> list[int]:
    """What a listing shows of a batch's notes: states forward, NFSe numbers, errors. Returns the ids that moved.

    Moves that we did not command open an incident.
    """
    own = set(conn.execute(sa.select(_t.c.id).where(_t.c.batch_id == batch_id)).scalars())
    views = [each for each in views if each.invoice_id in own]
    if not views:
        return []
    kinds: Kinds = {
        "id": sa.BigInteger(),
        "remote_id": sa.BigInteger(),
        "nfse_number": sa.Text(),
        "nfse_key": sa.Text(),
        "errors": sa.JSON(),
    }
    rows = [
        (each.invoice_id, each.remote_id, each.nfse_number, each.nfse_key, [dict(error) for error in each.errors])
        for each in views
    ]
    given = values(conn, "given", kinds, rows)
    conn.execute(
        sa.update(_t)
        .where(_t.c.id == given.c.id)
        .values(
            remote_id=sa.func.coalesce(_t.c.remote_id, given.c.remote_id),
            nfse_number=sa.func.coalesce(given.c.nfse_number, _t.c.nfse_number),
            nfse_key=sa.func.coalesce(given.c.nfse_key, _t.c.nfse_key),
            errors=given.c.errors,
        )
    )
    moved: list[int] = []
    for state in sorted({each.state for each in views}):
        ids = [each.invoice_id for each in views if each.state is state]
        moved += [each.id for each in moves.observe(conn, ids, becomes=state, because="listed") if each.moved]
    return sorted(moved)


def _mark_numbers(conn: sa.Connection, ids: Sequence[int]) -> None:
    """From now on a byte may have left under these numbers."""
    numbers, series = tables.numbers, tables.series
    conn.execute(
        sa.update(numbers)
        .where(is_in(conn, numbers.c.invoice_id, ids), numbers.c.posted_at.is_(None))
        .values(posted_at=clock(conn))
    )
    top = (
        sa.select(_t.c.emitter_id, _t.c.serie, sa.func.max(_t.c.number).label("number"))
        .where(is_in(conn, _t.c.id, ids))
        .group_by(_t.c.emitter_id, _t.c.serie)
        .subquery("top")
    )
    conn.execute(
        sa.update(series)
        .where(series.c.emitter_id == top.c.emitter_id, series.c.serie == top.c.serie)
        .where(series.c.highest_posted < top.c.number)
        .values(highest_posted=top.c.number)
    )


def _doubts_of_posting(conn: sa.Connection, lease: Lease, outcomes: Sequence[PostOutcome]) -> dict[int, int]:
    """How often each note that is `posting` in this batch was in doubt before."""
    query = sa.select(_t.c.id, _t.c.doubts).where(
        is_in(conn, _t.c.id, [each.invoice_id for each in outcomes]),
        _t.c.batch_id == lease.batch_id,
        _t.c.state == str(InvoiceState.POSTING),
    )
    return {row.id: row.doubts for row in conn.execute(query)}


def _held_remote_ids(conn: sa.Connection, outcomes: Sequence[PostOutcome]) -> dict[int, int]:
    """Which of the answered ids the ledger holds already, and for which invoice."""
    answered = [each.remote_id for each in outcomes if each.remote_id is not None]
    query = sa.select(_t.c.remote_id, _t.c.id).where(_t.c.kind == "service", is_in(conn, _t.c.remote_id, answered))
    return {row.remote_id: row.id for row in conn.execute(query)}


def _fate(each: PostOutcome, *, is_clashing: bool, doubts: int) -> str:
    if is_clashing:
        return "in_doubt"
    match each.outcome:
        case "created" if each.remote_id is not None:
            return "created"
        case "not_sent":
            return "reserved"
        case "refused" if doubts == 0:
            return "refused"
        case "disturbed" if each.remote_id is not None and each.observed is not None:
            return "observed"
        case _:
            return "in_doubt"


def _apply(
    conn: sa.Connection, lease: Lease, fate: str, group: Sequence[PostOutcome], clashing: Collection[int]
) -> list[int]:
    """States and answers of the notes that share a fate, in one statement; the ids that moved."""
    if not group:
        return []
    kept = {name: kind for name, kind in _ANSWER.items() if name in _KEPT[fate]}
    rows = [[each.invoice_id, *(_said(each, name, clashing) for name in kept)] for each in group]
    given = values(conn, "given", {"id": sa.BigInteger(), **kept}, rows)
    news: dict[str, Any] = {name: sa.func.coalesce(given.c[name], _t.c[name]) for name in kept}
    if fate == "observed":
        conn.execute(sa.update(_t).where(_t.c.id == given.c.id).values(**news))
        return _observe_answers(conn, lease, group)
    if fate == "in_doubt":
        # Without a last byte on record the present is the latest that it can have been.
        news |= {"doubts": _t.c.doubts + 1, "last_byte_at": sa.func.coalesce(given.c.last_byte_at, clock(conn))}
    becomes, because = _COMMANDED[fate]
    return moves.move(
        conn,
        [each.invoice_id for each in group],
        was=InvoiceState.POSTING,
        becomes=becomes,
        because=because,
        fence=lease.fence,
        news=moves.News(given, news),
    )


def _said(each: PostOutcome, name: str, clashing: Collection[int]) -> Any:
    if name == "errors":
        return [problem.to_json() for problem in each.problems]
    return None if name == "remote_id" and each.invoice_id in clashing else getattr(each, name)


def _observe_answers(conn: sa.Connection, lease: Lease, group: Sequence[PostOutcome]) -> list[int]:
    moved: list[int] = []
    for state in {each.observed for each in group if each.observed is not None}:
        ids = [each.invoice_id for each in group if each.observed is state]
        seen = moves.observe(conn, ids, becomes=state, because="answered, not as asked", fence=lease.fence)
        moved += [each.id for each in seen if each.moved]
    return sorted(moved)


def _in_doubt(conn: sa.Connection, lease: Lease, ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    """The notes of this batch among `ids` that are in doubt, locked."""
    query = sa.select(_t.c.id, _t.c.remote_id, _t.c.doubts, _t.c.last_byte_at, _t.c.absent_at).where(
        is_in(conn, _t.c.id, ids), _t.c.batch_id == lease.batch_id, _t.c.state == str(InvoiceState.IN_DOUBT)
    )
    return {row.id: row for row in conn.execute(query.order_by(_t.c.id).with_for_update())}


_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DOUBTS_FOR_A_PERSON: Final = 2
_COMMANDED: Final[Mapping[str, tuple[InvoiceState, str]]] = {
    "created": (InvoiceState.CREATED, "answered 201"),
    "reserved": (InvoiceState.RESERVED, "no byte was written"),
    "refused": (InvoiceState.REFUSED, "refused by the provider"),
    "in_doubt": (InvoiceState.IN_DOUBT, "outcome unknown"),
}
_FATES: Final = (*_COMMANDED, "observed")
_ANSWER: Final[Kinds] = {
    "remote_id": sa.BigInteger(),
    "answer_digest": sa.Text(),
    "last_byte_at": Instant(),
    "errors": sa.JSON(),
}
_KEPT: Final[Mapping[str, Collection[str]]] = {
    "created": {"remote_id", "answer_digest", "last_byte_at"},
    "reserved": {"last_byte_at"},
    "refused": {"last_byte_at", "errors"},
    "in_doubt": {"remote_id", "last_byte_at"},
    "observed": {"remote_id", "answer_digest", "last_byte_at"},
}
"""What is kept of an answer, by what it makes of the note."""
