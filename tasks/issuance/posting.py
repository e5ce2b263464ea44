"""Post the reserved invoices of a batch in groups, each group under a renewed lease.

The ledger has the intent to post a note before its first byte leaves, and gets no other write about it until the
outcome. Two groups overlap, so that the waits for provider and ledger at the end of each group overlap, too.
"""

import asyncio
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Refused, Resting, Unreachable
from connectors.http.steady import steady_s
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger.issuance import posting as ledger_posting
from connectors.ledger.issuance.posting import Outcome, PostOutcome
from connectors.ledger.leases import Lease
from connectors.ledger.observations.doubts import HeldBack
from domain.problems import FaturistaError, Problem
from tasks.issuance.answers import Channel, Postable, PostAnswer
from tasks.issuance.refusals import refusals
from tasks.runtime import Runtime

_GROUPS_AT_ONCE: Final = 2
# A group costs the ledger about as much as a hundred of its notes; a larger group leaves more to look up after a crash.
_GROUP_PER_SLOT: Final = 2
_FAILURES_BEFORE_STOPPING: Final = 10
# Most answers arrive sooner. Do not wait longer: the process that posted the other first note may have died.
_FIRST_PATIENCE_S: Final = 3.0
_FIRST_PAUSE_S: Final = 0.2


@dataclass(slots=True)
class Poster:
    """Post invoices of one batch until all are answered, a disturbance occurs or the issuer seems to be down.

    `lease` is the newest lease; `problem` is the reason to stop and call a person; `is_stopped` forbids further posts;
    `is_first_known` says that one answer of this batch matched. A note that was not posted stays `reserved`.
    """

    runtime: Runtime
    channel: Channel
    batch_id: int
    lease: Lease
    is_first_known: bool
    problem: Problem | None = None
    is_stopped: bool = False
    _failures: int = 0
    _attempts: dict[int, int] = dataclasses.field(default_factory=dict)

    @property
    def _group_size(self) -> int:
        return _GROUP_PER_SLOT * self.channel.in_flight

    async def post(self, notes: Sequence[Postable]) -> None:
        """Post `notes`, one by one until an answer of this batch is known to match.

        A service note joins its batch by `batch_id`, which is no documented field of the request. If it ever stopped
        working, every note would be issued at once; therefore only one first note, of all batches, is under way at a
        time. Raises `FenceLost`, and `HeldBack` where another batch's first note must be understood before.
        """
        begun: Sequence[Postable] = ()
        while notes and not (self.is_first_known or self.is_stopped):
            async with self.runtime.pool.first:
                begun, notes = await self._post_first(notes)
        size = self._group_size
        groups = iter([notes[start : start + size] for start in range(0, len(notes), size)])
        # Await all posts in flight even if one strand failed: an answer that nobody reads would become a doubt.
        strands = [self._post_groups(groups, mine) for mine in (begun, *((),) * (_GROUPS_AT_ONCE - 1))]
        for failed in await asyncio.gather(*strands, return_exceptions=True):
            if failed is not None:
                raise failed

    async def _post_first(self, notes: Sequence[Postable]) -> tuple[Sequence[Postable], Sequence[Postable]]:
        """Post the first note alone. Return (notes cleared to post, remaining notes); none is cleared without a match.

        One transaction writes the first outcome and the intents of the cleared notes: nothing else is sent meanwhile.
        """
        mine = await self._begin_first(notes[0])
        outcomes = await self.runtime.pool.each(self._post_one, mine, at_once=self.channel.in_flight)
        await self._report_first()
        end = 1 + self._group_size if self.is_first_known and not self.is_stopped else 1
        begun = await self._next_group(outcomes, notes[1:end]) if outcomes else ()
        return begun, notes[end:]

    async def _begin_first(self, note: Postable) -> Sequence[Postable]:
        """Write the intent of the first note, once no other process has a first note on its way.

        Wait a little for that note's answer: a batch that is given back instead continues only at its next look, and
        then needs a listing.
        """
        until = min(steady_s() + _FIRST_PATIENCE_S, self.lease.deadline - self.channel.answer_s)
        while True:
            try:
                return await self._next_group((), [note], is_first=True)
            except HeldBack as held:
                if held.why != "answer" or steady_s() > until:
                    raise
            await asyncio.sleep(_FIRST_PAUSE_S)

    async def _post_groups(self, groups: Iterator[Sequence[Postable]], mine: Sequence[Postable]) -> None:
        """Post group after group: one transaction writes the outcome of one group and the intent of the next.

        The intents of `mine` are written already.
        """
        try:
            while True:
                outcomes = await self.runtime.pool.each(
                    self._post_one, mine, at_once=self.channel.in_flight, rank=self.batch_id
                )
                group = () if self.is_stopped else next(groups, ())
                if not group and not outcomes:
                    return
                mine = await self._next_group(outcomes, group)
        except FaturistaError:
            self.is_stopped = True
            raise

    async def _report_first(self) -> None:
        """Open the incident of a first post before its answer is stored: no other batch posts its first note then."""
        if self.problem is not None:
            problem = self.problem
            await self.runtime.ledger.write_async(
                ledger_incidents.open_incident, code=problem.code, params=problem.params, batch_id=self.batch_id
            )

    async def _next_group(
        self, outcomes: Sequence[PostOutcome], group: Sequence[Postable], *, is_first: bool = False
    ) -> Sequence[Postable]:
        """Write the outcomes and the intents of `group`. Return the invoices of `group` that may now be posted."""
        following = await self.runtime.ledger.write_async(
            ledger_posting.next_group,
            self.lease,
            outcomes,
            [note.id for note in group],
            seconds=self.runtime.settings.protocol.lease_s,
            is_first=is_first,
        )
        if following.ended.clashing:
            self._stop(Problem("batch.id_seen_before", params={"batch": self.batch_id}))
        if following.refused is not None:
            raise following.refused
        self.lease = following.begun.lease
        self._attempts.update(following.begun.attempts)
        # A note without an attempt is no longer reserved: another worker was first.
        return [note for note in group if note.id in following.begun.attempts]

    async def _post_one(self, invoice: Postable) -> PostOutcome:
        attempt = self._attempts.pop(invoice.id)
        # Check only now, at the start of this post: after a stop nothing new begins.
        if self.is_stopped:
            return PostOutcome(attempt_id=attempt, invoice_id=invoice.id, outcome="not_sent")
        try:
            answer = await self.channel.post(invoice, not_after=self.lease.deadline - self.channel.answer_s)
        except ConnectorError as error:
            return self._failed_outcome(invoice, attempt, error)
        self._failures = 0
        return self._answered_outcome(invoice, attempt, answer)

    def _failed_outcome(self, invoice: Postable, attempt: int, error: ConnectorError) -> PostOutcome:
        outcome = outcome_of(error)
        if outcome == "refused":
            self._failures = 0
        else:
            self._failures += 1
            must_stop = self._failures >= _FAILURES_BEFORE_STOPPING or isinstance(error, Denied | Resting)
            self.is_stopped |= must_stop or not self.is_first_known
        if isinstance(error, Disturbed):
            self._stop(Problem("batch.post_disturbed", params={"number": invoice.number or 0, "what": error.detail}))
        return PostOutcome(
            attempt_id=attempt,
            invoice_id=invoice.id,
            outcome=outcome,
            status=error.status,
            remote_id=error.remote_id,
            last_byte_at=error.wire.last_byte_at,
            detail=type(error).__name__,
            problems=tuple(refusals(error)) if outcome == "refused" else (),
        )

    def _answered_outcome(self, invoice: Postable, attempt: int, answer: PostAnswer) -> PostOutcome:
        difference = answer.difference
        if difference:
            differs = Problem("batch.answer_differs", params={"number": invoice.number or 0, "field": difference})
            self._stop(answer.other_customer or differs)
        else:
            self.is_first_known = True
        return PostOutcome(
            attempt_id=attempt,
            invoice_id=invoice.id,
            outcome="disturbed" if difference else answer.outcome,
            observed=answer.state,
            status=answer.http_status,
            remote_id=answer.remote_id,
            answer_digest=answer.digest,
            last_byte_at=answer.last_byte_at,
            detail=difference,
        )

    def _stop(self, problem: Problem) -> None:
        self.is_stopped = True
        self.problem = self.problem or problem


def outcome_of(error: ConnectorError) -> Outcome:
    """Return the outcome that the journal gets for an error. `Denied` is a doubt, too: only a later look settles it."""
    if isinstance(error, Unreachable | Busy):
        return "not_sent"
    if isinstance(error, Refused):
        return "refused"
    return "disturbed" if isinstance(error, Disturbed) else "in_doubt"
