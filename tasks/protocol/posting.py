"""Posting the reserved notes of a batch, in groups, each under a renewed lease.

An intent is in the ledger before the first byte of a note leaves; between intent and outcome the ledger is not
touched. Two groups overlap, so that the provider's latency is not paid again at the end of each.
"""

import asyncio
import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from configs.settings import Settings
from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Refused, Unreachable
from connectors.ledger import posting as ledger_posting
from connectors.ledger.batches import BatchRecord
from connectors.ledger.claims import Lease
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.posting import Outcome, PostOutcome
from connectors.nfse.notes import Note, PostedNote
from domain.keys import answer_digest
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState
from tasks.runtime import Runtime

_STATES: Final = {
    str(state): state
    for state in (
        InvoiceState.CREATED,
        InvoiceState.SCHEDULED,
        InvoiceState.PROCESSING,
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.CANCELLING,
        InvoiceState.CANCELLED,
    )
}
"""By the provider's status (document 000, NFSe)."""

_GROUPS_AT_ONCE: Final = 2
# A group costs the ledger about as much as a hundred of its notes; a larger one leaves more to look up after a crash.
_GROUP_PER_SLOT: Final = 2
_FAILURES_BEFORE_STOPPING: Final = 10


class UnknownStatus(FaturistaError):
    """The provider gives a note a status that no document names: nothing may be concluded from it."""


@dataclass(slots=True)
class Poster:
    """Posts notes of one batch until all are answered, something is disturbed or the provider seems to be down.

    `lease` is the newest lease; `trouble` the reason to stop and call a person; `is_stopped` that no further note is
    posted; `is_first_known` that a note of this batch is known to wait unissued. What was not posted stays `reserved`.
    """

    runtime: Runtime
    batch: BatchRecord
    lease: Lease
    is_first_known: bool
    trouble: Problem | None = None
    is_stopped: bool = False
    _failures: int = 0
    _slots: asyncio.Semaphore = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.runtime.settings.nfse.in_flight)

    async def post(self, notes: Sequence[InvoiceRecord]) -> None:
        """Post `notes`; until one note of this batch is known to wait unissued, they go one by one.

        `batch_id` is no documented field of the request: should it ever stop working, every note would be issued at
        once, so one note is the most that may be lost to it.
        """
        while notes and not (self.is_first_known or self.is_stopped):
            await self._post_group(notes[:1])
            notes = notes[1:]
        size = _GROUP_PER_SLOT * self.runtime.settings.nfse.in_flight
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
                self._stop(Problem("batch.id_seen_before", params={"batch": self.batch.id}))
        except FaturistaError:
            self.is_stopped = True
            raise

    async def _post_one(self, invoice: InvoiceRecord, attempt: int) -> PostOutcome:
        # Its turn comes first, then the question: whoever stops us, what has not begun by then is never begun.
        async with self._slots:
            if self.is_stopped:
                return PostOutcome(attempt_id=attempt, invoice_id=invoice.id, outcome="not_sent")
            try:
                posted = await self.runtime.nfse.notes.create(
                    self._body(invoice), not_after=last_start(self.lease, self.runtime.settings)
                )
            except ConnectorError as error:
                return self._failed(invoice, attempt, error)
            self._failures = 0
            return self._answered(invoice, attempt, posted)

    def _body(self, invoice: InvoiceRecord) -> bytes:
        assert self.batch.remote_id is not None
        assert invoice.serie is not None
        assert invoice.number is not None
        return self.runtime.nfse.notes.body(
            json.loads(invoice.content),
            batch_id=self.batch.remote_id,
            serie=invoice.serie,
            number=invoice.number,
            emission_at=self.batch.emission_at,
        )

    def _failed(self, invoice: InvoiceRecord, attempt: int, error: ConnectorError) -> PostOutcome:
        outcome = outcome_of(error)
        if outcome == "refused":
            self._failures = 0
        else:
            self._failures += 1
            is_hopeless = self._failures >= _FAILURES_BEFORE_STOPPING or isinstance(error, Denied)
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

    def _answered(self, invoice: InvoiceRecord, attempt: int, posted: PostedNote) -> PostOutcome:
        assert self.batch.remote_id is not None
        note = posted.note
        difference = differing_field(invoice, posted, self.batch.remote_id)
        if difference:
            self._stop(Problem("batch.answer_differs", params={"number": invoice.number or 0, "field": difference}))
        else:
            self.is_first_known = True
        return PostOutcome(
            attempt_id=attempt,
            invoice_id=invoice.id,
            outcome="disturbed" if difference else "created",
            # A status that nobody knows: the id is kept, and what became of the note is found out by it.
            observed=_STATES.get(note.status),
            status=posted.http_status,
            remote_id=note.id,
            answer_digest=digest_of_answer(invoice, note, self.batch.remote_id),
            last_byte_at=posted.wire.last_byte_at,
            detail=difference,
        )

    def _stop(self, trouble: Problem) -> None:
        self.is_stopped = True
        self.trouble = self.trouble or trouble


def last_start(lease: Lease, settings: Settings) -> float:
    """The monotonic instant after which no first byte may leave: the answer must fit into the lease."""
    return lease.deadline - settings.nfse.request_timeout_s - settings.protocol.clock_skew_s


def outcome_of(error: ConnectorError) -> Outcome:
    """The journal's word for an error. Denied is a doubt, too: only looking can tell, once we are let in again."""
    if isinstance(error, Unreachable | Busy):
        return "not_sent"
    if isinstance(error, Refused):
        return "refused"
    return "disturbed" if isinstance(error, Disturbed) else "doubtful"


def differing_field(invoice: InvoiceRecord, posted: PostedNote, batch_remote_id: int) -> str | None:
    """The first field in which the answer is not what was asked; None when the note is staged as meant."""
    note = posted.note
    compared = (
        ("HTTP status", posted.http_status, 201),
        ("status", note.status, InvoiceState.CREATED),
        ("is_complete", note.is_complete, True),
        ("batch_id", note.batch_id, batch_remote_id),
        ("serie", note.serie, invoice.serie),
        ("number", note.number, invoice.number),
    )
    for field, answered, asked in compared:
        if answered != asked:
            return field
    return next((field for field, cents in invoice.amounts.items() if note.amounts.get(field) != cents), None)


def state_of(note: Note) -> InvoiceState:
    """The provider's status in our words; raises `UnknownStatus`."""
    known = _STATES.get(note.status)
    if known is None:
        raise UnknownStatus(Problem("batch.unknown_status", params={"status": note.status[:40]}))
    return known


def digest_of_answer(invoice: InvoiceRecord, note: Note, batch_remote_id: int) -> str:
    """What an approval is bound to, note by note; serie and number were compared with ours before."""
    return answer_digest(
        remote_id=note.id,
        batch_remote_id=batch_remote_id,
        serie=invoice.serie or "",
        number=invoice.number or 0,
        amounts=note.amounts,
    )


def refusals(error: ConnectorError) -> Iterator[Problem]:
    """The provider's words about a row, one Problem per message."""
    for field, texts in error.messages.items():
        for text in texts:
            yield Problem("provider.refused_field", field or None, params={"field": field, "message": text})
