"""Posting the reserved invoices of a batch, in groups, each under a renewed lease, whatever their kind.

An intent is in the ledger before the first byte of a note leaves; between intent and outcome the ledger is not
touched. Two groups overlap, so that the provider's latency is not paid again at the end of each.
"""

import asyncio
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Refused, Resting, Unreachable
from connectors.ledger import posting as ledger_posting
from connectors.ledger.claims import Lease
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.posting import Outcome, PostOutcome
from domain.problems import FaturistaError, Problem
from tasks.protocol.channels import Channel, Receipt
from tasks.runtime import Runtime

_GROUPS_AT_ONCE: Final = 2
# A group costs the ledger about as much as a hundred of its notes; a larger one leaves more to look up after a crash.
_GROUP_PER_SLOT: Final = 2
_FAILURES_BEFORE_STOPPING: Final = 10


@dataclass(slots=True)
class Poster:
    """Posts notes of one batch until all are answered, something is disturbed or the provider seems to be down.

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
    _slots: asyncio.Semaphore = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.channel.in_flight)

    async def post(self, notes: Sequence[InvoiceRecord]) -> None:
        """Post `notes`; until one of this batch is known to have been answered as meant, they go one by one.

        A service note joins its batch by `batch_id`, no documented field of the request: should it ever stop working,
        every note would be issued at once, so one note is the most that may be lost to it.
        """
        while notes and not (self.is_first_known or self.is_stopped):
            await self._post_group(notes[:1])
            notes = notes[1:]
        size = _GROUP_PER_SLOT * self.channel.in_flight
        running: set[asyncio.Task[None]] = set()
        ended: list[asyncio.Task[None]] = []
        for start in range(0, len(notes), size):
            if len(running) >= _GROUPS_AT_ONCE:
                finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                ended.extend(finished)
            if self.is_stopped:
                break
            running.add(asyncio.create_task(self._post_group(notes[start : start + size])))
        # What is in flight is heard out even when a sibling failed: an answer thrown away is a doubt made by us.
        if running:
            ended.extend((await asyncio.wait(running))[0])
        for task in ended:
            task.result()

    async def _post_group(self, notes: Sequence[InvoiceRecord]) -> None:
        ledger = self.runtime.ledger
        try:
            begun = await ledger.writing(
                ledger_posting.begin_posting,
                self.lease,
                [note.id for note in notes],
                seconds=self.runtime.settings.protocol.lease_s,
            )
            self.lease = begun.lease
            # A note without an attempt was not reserved any more: somebody was first.
            mine = [note for note in notes if note.id in begun.attempts]
            outcomes = await asyncio.gather(*(self._post_one(note, begun.attempts[note.id]) for note in mine))
            ended = await ledger.writing(ledger_posting.end_posting, self.lease, outcomes)
            if ended.clashing:
                self._stop(Problem("batch.id_seen_before", params={"batch": self.batch_id}))
        except FaturistaError:
            self.is_stopped = True
            raise

    async def _post_one(self, invoice: InvoiceRecord, attempt: int) -> PostOutcome:
        # Its turn comes first, then the question: whoever stops us, what has not begun by then is never begun.
        async with self._slots:
            if self.is_stopped:
                return PostOutcome(attempt_id=attempt, invoice_id=invoice.id, outcome="not_sent")
            try:
                receipt = await self.channel.post(invoice, not_after=self.lease.deadline - self.channel.answer_s)
            except ConnectorError as error:
                return self._failed(invoice, attempt, error)
            self._failures = 0
            return self._answered(invoice, attempt, receipt)

    def _failed(self, invoice: InvoiceRecord, attempt: int, error: ConnectorError) -> PostOutcome:
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

    def _answered(self, invoice: InvoiceRecord, attempt: int, receipt: Receipt) -> PostOutcome:
        difference = receipt.difference
        if difference:
            self._stop(Problem("batch.answer_differs", params={"number": invoice.number or 0, "field": difference}))
        else:
            self.is_first_known = True
        return PostOutcome(
            attempt_id=attempt,
            invoice_id=invoice.id,
            outcome="disturbed" if difference else receipt.outcome,
            observed=receipt.state,
            status=receipt.http_status,
            remote_id=receipt.remote_id,
            answer_digest=receipt.digest,
            last_byte_at=receipt.wire.last_byte_at,
            detail=difference,
        )

    def _stop(self, trouble: Problem) -> None:
        self.is_stopped = True
        self.trouble = self.trouble or trouble


def outcome_of(error: ConnectorError) -> Outcome:
    """The journal's word for an error. Denied is a doubt, too: only looking can tell, once we are let in again."""
    if isinstance(error, Unreachable | Busy):
        return "not_sent"
    if isinstance(error, Refused):
        return "refused"
    return "disturbed" if isinstance(error, Disturbed) else "doubtful"


def refusals(error: ConnectorError) -> Iterator[Problem]:
    """The provider's words about a row, one Problem per message."""
    for field, texts in error.messages.items():
        for text in texts:
            yield Problem("provider.refused_field", field or None, params={"field": field, "message": text})
