"""Service notes: how one is posted into its batch, and when an answer is what was asked."""

from dataclasses import dataclass
from typing import Final

import orjson

from connectors.ledger.batches import BatchRecord
from connectors.nfse.notes import Note, PostedNote
from domain.keys import answer_digest
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState
from tasks.protocol.channels import Postable, Receipt
from tasks.runtime import Runtime, answer_s

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


class UnknownStatus(FaturistaError):
    """The provider gives a note a status that no document names: nothing may be concluded from it."""


@dataclass(frozen=True, slots=True)
class NoteChannel:
    """Posts notes into one batch that stands at the provider."""

    runtime: Runtime
    batch: BatchRecord

    @property
    def in_flight(self) -> int:
        return self.runtime.settings.nfse.in_flight

    @property
    def answer_s(self) -> float:
        return answer_s(self.runtime.settings)

    async def post(self, invoice: Postable, *, not_after: float) -> Receipt:
        """Liberality about shapes never extends to the compared fields. Raises `ConnectorError`."""
        assert self.batch.remote_id is not None
        assert invoice.serie is not None
        assert invoice.number is not None
        body = self.runtime.nfse.notes.body(
            orjson.loads(invoice.content),
            batch_id=self.batch.remote_id,
            serie=invoice.serie,
            number=invoice.number,
            emission_at=self.batch.emission_at,
        )
        posted = await self.runtime.nfse.notes.create(body, not_after=not_after)
        return Receipt(
            remote_id=posted.note.id,
            outcome="created",
            # A status that nobody knows: the id is kept, and what became of the note is found out by it.
            state=_STATES.get(posted.note.status),
            http_status=posted.http_status,
            wire=posted.wire,
            digest=digest_of_answer(invoice, posted.note, self.batch.remote_id),
            difference=differing_field(invoice, posted, self.batch.remote_id),
        )


def differing_field(invoice: Postable, posted: PostedNote, batch_remote_id: int) -> str | None:
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


def digest_of_answer(invoice: Postable, note: Note, batch_remote_id: int) -> str:
    """What an approval is bound to, note by note; serie and number were compared with ours before."""
    return answer_digest(
        remote_id=note.id,
        batch_remote_id=batch_remote_id,
        serie=invoice.serie or "",
        number=invoice.number or 0,
        amounts=note.amounts,
    )
