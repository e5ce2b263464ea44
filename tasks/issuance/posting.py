"""Post the reserved invoices of a batch in groups, each group under a renewed lease.

An intent is in the ledger before the first byte of a note leaves; between intent and outcome the ledger is not
touched. Two groups overlap, so that neither the provider's latency nor the ledger's is paid again at the end of each.
"""

import asyncio
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Refused, Resting, Unreachable
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger.claims import Lease
from connectors.ledger.issuance import posting as ledger_posting
from connectors.ledger.issuance.posting import Outcome, PostOutcome
from domain.problems import FaturistaError, Problem
from tasks.issuance.answers import Channel, Postable, PostAnswer
from tasks.runtime import Runtime

_GROUPS_AT_ONCE: Final = 2
# A group costs the ledger about as much as a hundred of its notes; a larger one leaves more to look up after a crash.
_GROUP_PER_SLOT: Final = 2
_FAILURES_BEFORE_STOPPING: Final = 10


@dataclass(slots=True)
class Poster:
    """Post invoices of one batch until all are answered, something is disturbed or the issuer seems to be down.

    `lease` is the newest lease; `trouble` the reason to stop and call a person; `is_stopped` that no further note is
    posted; `is_first_known` that one of this batch was answered as meant. What was not posted stays `reserved`.
    """

    runtime: Runtime
    channel: Channel
    batch_id: int
    lease: Lease
    is_first_known: bool
    trouble: Problem | None = None
    is_stopped: bool = False
    _failures: int = 0
    _attempts: dict[int, int] = dataclasses.field(default_factory=dict)

    async def post(self, notes: Sequence[Postable]) -> None:
        """Post `notes`; until one of this batch is known to have been answered as meant, they go one by one.

        A service note joins its batch by `batch_id`, no documented field of the request: should it ever stop working,
        every note would be issued at once, so one note is the most that may be lost to it: one of all batches.
        Raises `FenceLost`, and `HeldBack` where another batch's first note has to be understood before.
        """
        begun: Sequence[Postable] = ()
        while notes and not (self.is_first_known or self.is_stopped):
            async with self.runtime.pool.first:
                begun, notes = await self._post_first(notes)
        size = _GROUP_PER_SLOT * self.channel.in_flight
        groups = iter([notes[start : start + size] for start in range(0, len(notes), size)])
        # What is in flight is heard out even when a sibling failed: an answer thrown away is a doubt made by us.
        strands = [self._strand(groups, mine) for mine in (begun, *((),) * (_GROUPS_AT_ONCE - 1))]
        for failed in await asyncio.gather(*strands, return_exceptions=True):
            if failed is not None:
                raise failed

    async def _post_first(self, notes: Sequence[Postable]) -> tuple[Sequence[Postable], Sequence[Postable]]:
        """Post the first note alone. Return the notes that may go next, empty unless the answer matched, and the rest.

        They are begun with what is written of it, for nothing else goes out meanwhile.
        """
        mine = await self._turn_over((), notes[:1], is_first=True)
        outcomes = await self.runtime.pool.each(self._post_one, mine, at_once=self.channel.in_flight)
        await self._tell_first()
        end = 1 + self.channel.in_flight if self.is_first_known and not self.is_stopped else 1
        begun = await self._turn_over(outcomes, notes[1:end]) if outcomes else ()
        return begun, notes[end:]

    async def _strand(self, groups: Iterator[Sequence[Postable]], mine: Sequence[Postable]) -> None:
        """Post group after group: one transaction writes the outcome of one group and the intent of the next.

        `mine` is about to go already.
        """
        try:
            while True:
                outcomes = await self.runtime.pool.each(
                    self._post_one, mine, at_once=self.channel.in_flight, rank=self.batch_id
                )
                group = () if self.is_stopped else next(groups, ())
                if not group and not outcomes:
                    return
                mine = await self._turn_over(outcomes, group)
        except FaturistaError:
            self.is_stopped = True
            raise

    async def _tell_first(self) -> None:
        """Open the incident of a first post before its answer is written: no other batch posts its first meanwhile."""
        if self.trouble is not None:
            told = self.trouble
            await self.runtime.ledger.writing(
                ledger_incidents.open_incident, code=told.code, params=told.params, batch_id=self.batch_id
            )

    async def _turn_over(
        self, outcomes: Sequence[PostOutcome], group: Sequence[Postable], *, is_first: bool = False
    ) -> Sequence[Postable]:
        """Return the invoices of `group` that may now be posted."""
        turn = await self.runtime.ledger.writing(
            ledger_posting.turn_over,
            self.lease,
            outcomes,
            [note.id for note in group],
            seconds=self.runtime.settings.protocol.lease_s,
            is_first=is_first,
        )
        if turn.ended.clashing:
            self._stop(Problem("batch.id_seen_before", params={"batch": self.batch_id}))
        if turn.refused is not None:
            raise turn.refused
        self.lease = turn.begun.lease
        self._attempts.update(turn.begun.attempts)
        # A note without an attempt was not reserved any more: somebody was first.
        return [note for note in group if note.id in turn.begun.attempts]

    async def _post_one(self, invoice: Postable) -> PostOutcome:
        attempt = self._attempts.pop(invoice.id)
        # Its turn has come, and only now is this asked: whoever stops us, what has not begun by then is never begun.
        if self.is_stopped:
            return PostOutcome(attempt_id=attempt, invoice_id=invoice.id, outcome="not_sent")
        try:
            answer = await self.channel.post(invoice, not_after=self.lease.deadline - self.channel.answer_s)
        except ConnectorError as error:
            return self._failed(invoice, attempt, error)
        self._failures = 0
        return self._answered(invoice, attempt, answer)

    def _failed(self, invoice: Postable, attempt: int, error: ConnectorError) -> PostOutcome:
        outcome = outcome_of(error)
        if outcome == "refused":
            self._failures = 0
        else:
            self._failures += 1
            is_hopeless = self._failures >= _FAILURES_BEFORE_STOPPING or isinstance(error, Denied | Resting)
            self.is_stopped |= is_hopeless or not self.is_first_known
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

    def _answered(self, invoice: Postable, attempt: int, answer: PostAnswer) -> PostOutcome:
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

    def _stop(self, trouble: Problem) -> None:
        self.is_stopped = True
        self.trouble = self.trouble or trouble


def outcome_of(error: ConnectorError) -> Outcome:
    """Return the journal's word for an error. Denied is a doubt, too: only a later look can tell."""
    if isinstance(error, Unreachable | Busy):
        return "not_sent"
    if isinstance(error, Refused):
        return "refused"
    return "disturbed" if isinstance(error, Disturbed) else "in_doubt"


def refusals(error: ConnectorError) -> Iterator[Problem]:
    """Yield the issuer's words about a row, one Problem per message."""
    for field, texts in error.messages.items():
        for text in texts:
            yield Problem("provider.refused_field", field or None, params={"field": field, "message": text})
