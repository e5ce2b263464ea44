"""The start and outcome of posting notes, in groups and under the fence.

`begin_posting` commits before the first byte may leave; `end_posting` stores the answers. Both are one short
transaction for a whole group. A note without an answer is `in_doubt`: a lookup settles it, and it is posted again only
after two listings prove its absence.

A service note is posted into an open batch and waits there. For an issuer without staging, each post issues: notes are
posted from a batch in `sending`, and only while its approval is valid.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import approvals, attempts, numbers, parties, tables, transitions
from connectors.ledger.database.sql import Instant, Kinds, Statement, clock, is_in, is_sqlite, param, values
from connectors.ledger.leases import OWN_NOTES, FenceLost, Lease, is_staged, note_answer, renew, renewal_statement
from connectors.ledger.observations.doubts import HeldBack, hold_back_first
from domain.problems import Problem
from domain.states import BatchState, InvoiceState

_t = tables.invoices
_batches = tables.batches

Outcome = Literal["created", "issued", "not_sent", "refused", "in_doubt", "disturbed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOutcome:
    """The outcome of one POST.

    `created` (a note that waits in its batch) needs `remote_id` and `answer_digest`; `issued` (a post that issues)
    needs `remote_id`. `observed` is the state in a `disturbed` answer that has an id. `detail` names the error for the
    attempt (no personal data).
    """

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
class PostingGroup:
    """The renewed lease, and the attempt's id of each note that may now be posted, by invoice id.

    A note that is missing here was not `reserved` any more: it must not be posted.
    """

    lease: Lease
    attempts: dict[int, int]


@dataclass(frozen=True, slots=True)
class PostingResults:
    """The ids of the invoices that moved, by result.

    `clashing`: another invoice has the id in the answer. These are in doubt, too: the caller stops posting and disturbs
    the batch.
    """

    created: list[int]
    issued: list[int]
    reserved: list[int]
    refused: list[int]
    in_doubt: list[int]
    observed: list[int]
    clashing: list[int]


@dataclass(frozen=True, slots=True)
class NextGroup:
    """The outcome of one group, and the next group to post. `refused`: why no next group may be posted."""

    ended: PostingResults
    begun: PostingGroup
    refused: FenceLost | HeldBack | None = None


def next_group(
    conn: sa.Connection,
    lease: Lease,
    outcomes: Sequence[PostOutcome],
    ids: Sequence[int],
    *,
    seconds: float,
    is_first: bool = False,
) -> NextGroup:
    """Store the outcomes of one group and begin to post the next, in one transaction; either may be empty.

    The outcomes are stored even if the next group must not be posted. After a clashing id, no group begins. Raises
    `FenceLost` if there are outcomes and another worker has the batch; then nothing is stored.
    """
    ended = end_posting(conn, lease, outcomes) if outcomes else _NOTHING_ENDED
    if not ids or ended.clashing:
        return NextGroup(ended, PostingGroup(lease, {}))
    try:
        # If this raises, it has changed nothing but the lease's end.
        return NextGroup(ended, begin_posting(conn, lease, ids, seconds=seconds, is_first=is_first))
    except (FenceLost, HeldBack) as error:
        return NextGroup(ended, PostingGroup(lease, {}), error)


def begin_posting(
    conn: sa.Connection, lease: Lease, ids: Sequence[int], *, seconds: float, is_first: bool = False
) -> PostingGroup:
    """Renew the lease, move the notes reserved → posting, and store one attempt for each.

    Commit before the first byte leaves. `is_first`: no note of this batch has had the expected answer yet. Raises
    `FenceLost`, also when the batch is not `open` (without staging: not `sending`, or without a valid approval), and
    `HeldBack` when the first note of this batch must wait for another batch (`hold_back_first`).
    """
    lease = renew(conn, lease, seconds=seconds, by=_RENEWAL_TO_POST)
    if is_first and is_staged(conn, lease):
        hold_back_first(conn, lease.batch_id)
    because = "about to post"
    line: dict[str, Any] = {**_TO_POST, "because": because, "fence": lease.fence, "batch": lease.batch_id}
    if not is_sqlite(conn):
        return PostingGroup(lease, transitions.move_and(conn, ids, **line, change=_INTENT, what="post"))
    moved = transitions.move(conn, ids, **line, change=OWN_NOTES)
    numbers.mark_posted(conn, moved)
    return PostingGroup(lease, attempts.begin_group(conn, lease, "post", moved))


def end_posting(conn: sa.Connection, lease: Lease, outcomes: Sequence[PostOutcome]) -> PostingResults:
    """Store the outcomes of a group of posts.

    created → `created`; issued → `processing`; not_sent → `reserved`; refused → `refused`: retire the number and store
    the problems (after an earlier doubt a refusal is a doubt, too); in_doubt → `in_doubt`; disturbed → the answered
    state if the note has an id, else `in_doubt`. An answer with another invoice's id, or created or issued without an
    id, is a doubt. A note that is not `posting` any more keeps its state.

    Raises:
        FenceLost: Another worker has the batch. Nothing is written.
        ValueError: `created` for an issuer whose post issues, or `issued` for an issuer that stages.
    """
    issuer, waits = note_answer(conn, lease)
    strange = "issued" if waits else "created"
    if any(each.outcome == strange for each in outcomes):
        raise ValueError(f"an invoice of {issuer} is not {strange} by being posted")
    doubts, held = _known_of(conn, lease, issuer, outcomes)
    results: dict[str, list[PostOutcome]] = {result: [] for result in _RESULTS}
    clashing = []
    for each in outcomes:
        if each.invoice_id not in doubts:
            continue
        is_clashing = each.remote_id is not None and held.get(each.remote_id, each.invoice_id) != each.invoice_id
        if is_clashing:
            clashing.append(each.invoice_id)
        elif each.remote_id is not None:
            held[each.remote_id] = each.invoice_id
        results[_result(each, is_clashing=is_clashing, doubts=doubts[each.invoice_id])].append(each)
    ends = [_end_of(each) for each in outcomes]
    made = [result for result, group in results.items() if group]
    if made == ["created"] and not is_sqlite(conn):
        journal = attempts.end_params(ends)
    else:
        # Close the attempts first: a doubt's quiet time must not begin before its attempt has ended.
        journal = {}
        attempts.end_group(conn, lease, ends)
    ended = PostingResults(
        **{
            result: _apply(conn, lease, result, group, clashing=clashing, journal=journal)
            for result, group in results.items()
        },
        clashing=clashing,
    )
    if ended.refused:
        # The provider may have deleted the customer from its register: read the customer again for the corrected row.
        parties.mark_invoice_takers_unread(conn, ended.refused)
    if ended.in_doubt or ended.observed:
        _must_list(conn, batch=lease.batch_id)
    return ended


def _known_of(
    conn: sa.Connection, lease: Lease, issuer: str, outcomes: Sequence[PostOutcome]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return two mappings: doubt count by `posting` invoice of this batch, and invoice by answered id.

    The second has the issuer's ids in these answers that an invoice in the ledger already has.
    """
    answered = [each.remote_id for each in outcomes if each.remote_id is not None]
    notes = [each.invoice_id for each in outcomes]
    doubts: dict[int, int] = {}
    held: dict[int, int] = {}
    known = _find_known.gather(conn, notes=notes, batch=lease.batch_id, issuer=issuer, answered=answered)
    for is_held, one, other in known:
        (held if is_held else doubts)[one] = other
    return doubts, held


def _result(each: PostOutcome, *, is_clashing: bool, doubts: int) -> str:
    if is_clashing:
        return "in_doubt"
    match each.outcome:
        case "created" | "issued" if each.remote_id is not None:
            return each.outcome
        case "not_sent":
            return "reserved"
        case "refused" if doubts == 0:
            return "refused"
        case "disturbed" if each.remote_id is not None and each.observed is not None:
            return "observed"
        case _:
            return "in_doubt"


def _end_of(each: PostOutcome) -> attempts.End:
    outcome = _JOURNALLED[each.outcome]
    return each.attempt_id, outcome, each.status, each.remote_id, each.last_byte_at, each.detail


def _apply(
    conn: sa.Connection,
    lease: Lease,
    result: str,
    group: Sequence[PostOutcome],
    *,
    clashing: Collection[int],
    journal: Mapping[str, Any],
) -> list[int]:
    """Store states and answers of invoices with one result, and the ends of their attempts. Return the moved ids.

    `journal` has the parameters for the ends of the attempts, which one statement stores too; empty: they are stored.
    """
    if not group:
        return []
    rows = [[each.invoice_id, *(_value_of(each, name, clashing) for name in _KEPT[result])] for each in group]
    if result == "observed":
        _keep_observed(conn, given=rows)
        return _observe_answers(conn, lease, group)
    becomes, because = _COMMANDED[result]
    return transitions.move(
        conn,
        [each.invoice_id for each in group],
        was=InvoiceState.POSTING,
        becomes=becomes,
        because=because,
        fence=lease.fence,
        change=_AND_JOURNALLED if journal else _CHANGES[result],
        given=rows,
        **journal,
    )


def _value_of(each: PostOutcome, name: str, clashing: Collection[int]) -> Any:
    if name == "errors":
        return [problem.to_json() for problem in each.problems]
    return None if name == "remote_id" and each.invoice_id in clashing else getattr(each, name)


def _observe_answers(conn: sa.Connection, lease: Lease, group: Sequence[PostOutcome]) -> list[int]:
    moved: list[int] = []
    for state in {each.observed for each in group if each.observed is not None}:
        ids = [each.invoice_id for each in group if each.observed is state]
        seen = transitions.observe(conn, ids, becomes=state, because="answered, not as asked", fence=lease.fence)
        moved += [each.id for each in seen if each.moved]
    return sorted(moved)


_NOTHING_ENDED: Final = PostingResults([], [], [], [], [], [], [])
_JOURNALLED: Final[Mapping[Outcome, attempts.Outcome]] = {
    "created": "done",
    "issued": "done",
    "not_sent": "not_sent",
    "refused": "refused",
    "in_doubt": "in_doubt",
    "disturbed": "disturbed",
}
_IS_STAGED: Final = _batches.c.is_staged
_MAY_POST: Final = sa.case(
    (_IS_STAGED, _batches.c.state == str(BatchState.OPEN)),
    else_=sa.and_(_batches.c.state == str(BatchState.SENDING), approvals.IS_APPROVED),
)
_RENEWAL_TO_POST: Final = renewal_statement(_MAY_POST)
_TO_POST: Final = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.POSTING}
_COMMANDED: Final[Mapping[str, tuple[InvoiceState, str]]] = {
    "created": (InvoiceState.CREATED, "answered 201"),
    "issued": (InvoiceState.PROCESSING, "answered: it is being issued"),
    "reserved": (InvoiceState.RESERVED, "no byte was written"),
    "refused": (InvoiceState.REFUSED, "refused by the provider"),
    "in_doubt": (InvoiceState.IN_DOUBT, "outcome unknown"),
}
_RESULTS: Final = (*_COMMANDED, "observed")
_ANSWER: Final[Kinds] = {
    "remote_id": sa.BigInteger(),
    "answer_digest": sa.Text(),
    "last_byte_at": Instant(),
    "errors": sa.JSON(),
}
_KEPT: Final[Mapping[str, Sequence[str]]] = {
    "created": ("remote_id", "answer_digest", "last_byte_at"),
    "issued": ("remote_id", "answer_digest", "last_byte_at"),
    "reserved": ("last_byte_at",),
    "refused": ("last_byte_at", "errors"),
    "in_doubt": ("remote_id", "last_byte_at"),
    "observed": ("remote_id", "answer_digest", "last_byte_at"),
}
"""The columns that store an answer, by result."""


def _given_columns(result: str) -> Kinds:
    return {"id": sa.BigInteger(), **{name: _ANSWER[name] for name in _KEPT[result]}}


def _answer_values(_conn: sa.Connection, given: sa.FromClause) -> dict[str, Any]:
    return {name: sa.func.coalesce(given.c[name], _t.c[name]) for name in _ANSWER if name in given.c}


def _doubt_values(conn: sa.Connection, given: sa.FromClause) -> dict[str, Any]:
    # The last byte left before this instant. All workers share the database's clock.
    return {**_answer_values(conn, given), "doubts": _t.c.doubts + 1, "last_byte_at": clock(conn)}


def _intent_statements(conn: sa.Connection, moved: sa.FromClause) -> Sequence[sa.Insert | sa.Update]:
    journal = tables.attempts
    return numbers.mark_posted_statement(conn, moved), attempts.begin_statement(conn, moved).returning(
        journal.c.invoice_id, journal.c.id
    )


_INTENT: Final = transitions.Change(_t, only_where=_t.c.batch_id == param("batch"), also=_intent_statements)
_CHANGES: Final = {
    result: transitions.Change(
        _t, given=_given_columns(result), news=_doubt_values if result == "in_doubt" else _answer_values
    )
    for result in _COMMANDED
}
_AND_JOURNALLED: Final = transitions.Change(
    _t, given=_given_columns("created"), news=_answer_values, also=lambda conn, _moved: [attempts.end_statement(conn)]
)


@Statement
def _keep_observed(conn: sa.Connection) -> sa.Update:
    given = values(conn, "given", _given_columns("observed"), param("given"))
    return sa.update(_t).where(_t.c.id == given.c.id).values(**_answer_values(conn, given))


@Statement
def _find_known(conn: sa.Connection) -> sa.CompoundSelect[Any]:
    """Return one statement for both mappings of `_known_of`: a second call costs more than the query itself."""
    doubts = sa.select(sa.literal_column("0").label("is_held"), _t.c.id.label("one"), _t.c.doubts.label("other"))
    posting = doubts.where(
        is_in(conn, _t.c.id, param("notes")),
        _t.c.batch_id == param("batch"),
        _t.c.state == str(InvoiceState.POSTING),
    )
    held = sa.select(sa.literal_column("1"), _t.c.remote_id, _t.c.id).where(
        _t.c.issuer == param("issuer"), is_in(conn, _t.c.remote_id, param("answered"))
    )
    return sa.union_all(posting, held)


@Statement
def _must_list(_conn: sa.Connection) -> sa.Update:
    return sa.update(_batches).where(_batches.c.id == param("batch")).values(must_list=True)
