"""The issuer port for service invoices: notes are staged in a batch and found again by listing it."""

import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final, Literal, NoReturn

from connectors.http.errors import NotFound, Refused
from connectors.nfse.client import NfseClient
from connectors.nfse.issuing.invoices import invoice_state, note_body, remote_batch, remote_invoice
from connectors.nfse.issuing.parties import customer_body, customer_changes, remote_customer, remote_emitter
from connectors.nfse.issuing.records import master_record, our_messages, record_body
from connectors.nfse.issuing.templates import remote_template
from connectors.nfse.records import RecordCalls
from domain.documents import Document
from domain.forecasts.budget import NOTES_A_PAGE
from domain.invoice_numbers import SERVICE_NUMBERS
from domain.issuing import (
    Account,
    Capabilities,
    EmitterRef,
    InvoicePage,
    Lookup,
    MasterRecord,
    Posting,
    Receipt,
    RecordKind,
    RemoteBatch,
    RemoteCustomer,
    RemoteEmitter,
    RemoteInvoice,
    RemoteTemplate,
    SerieRecord,
)
from domain.master_fields import Value
from domain.parties import TakerData
from domain.states import InvoiceState

NAME: Final = "nfse"
_STAGED: Final = 201
"""The only status that means that the note waits in its batch; 202 means that it is being issued."""
CAPABILITIES: Final = Capabilities(
    is_staged=True,
    lookup=Lookup.BATCH,
    can_read=True,
    can_list=False,
    has_serie_record=True,
    repeats_content=True,
    numbers=SERVICE_NUMBERS,
    largest_batch=None,
    can_cancel=True,
    can_replace=True,
    documents=frozenset({"pdf", "xml"}),
)


class NfseIssuer:
    """The issuer. It uses an open client."""

    name = NAME
    kind = "service"
    capabilities = CAPABILITIES
    history = None

    def __init__(self, client: NfseClient) -> None:
        self._client = client
        self.staging = NfseStaging(client)
        self.register = NfseRegister(client)

    async def account(self) -> Account:
        """Return the account that the token belongs to."""
        found = await self._client.account.read()
        return Account(uuid=found.uuid, name=found.name, issued=found.emission_count, allowance=found.max_emissions)

    async def emitters(self, cnpj: str | None = None) -> Sequence[RemoteEmitter]:
        """Return all emitters, or those with exactly this CNPJ."""
        calls = self._client.emitters
        return [remote_emitter(each) for each in await (calls.all() if cnpj is None else calls.find(cnpj))]

    def check_ready(self, emitter: EmitterRef) -> None:
        """Do nothing: a post needs no secret but the token."""

    async def serie(self, emitter: EmitterRef, serie: str) -> SerieRecord | None:
        """Return the provider's record of the serie, or None if it has none."""
        found = await self._client.emitters.serie(emitter.remote_id, serie)
        return None if found is None else SerieRecord(found.latest_number, found.latest_note_id)

    async def post(self, posting: Posting, *, not_after: float) -> Receipt:
        """Post one note into its batch."""
        assert posting.batch_id is not None
        calls, key = self._client.notes, posting.key
        body = calls.body(
            note_body(posting.content, emitter_id=key.emitter.remote_id),
            batch_id=posting.batch_id,
            serie=key.serie,
            number=key.number,
            emission_at=posting.emission_at,
        )
        posted = await calls.create(body, not_after=not_after)
        return Receipt(
            answered=remote_invoice(posted.note),
            http_status=posted.http_status,
            is_as_documented=posted.http_status == _STAGED,
            last_byte_at=posted.wire.last_byte_at,
        )

    async def read(self, emitter: EmitterRef, remote_id: int) -> RemoteInvoice:  # noqa: ARG002 - part of the port
        """Read one note by its id, which is unique in the account."""
        return remote_invoice(await self._client.notes.read(remote_id))

    async def cancel(
        self,
        emitter: EmitterRef,  # noqa: ARG002 - part of the port
        remote_id: int,
        *,
        reason: str,  # noqa: ARG002 - part of the port
        not_after: float,
    ) -> InvoiceState | None:
        """Ask the city to cancel the note. Return its state; the city gets no reason and may refuse later [A 1.7]."""
        return invoice_state((await self._client.notes.cancel(remote_id, not_after=not_after)).status)

    async def document(
        self,
        emitter: EmitterRef,  # noqa: ARG002 - part of the port
        remote_id: int,
        kind: Literal["pdf", "xml"],
    ) -> str | None:
        """Return the URL of the note's PDF or XML, None while there is none."""
        notes = self._client.notes
        return await (notes.pdf(remote_id) if kind == "pdf" else notes.xml(remote_id))


class NfseStaging:
    """The provider's batches."""

    def __init__(self, client: NfseClient) -> None:
        self._client = client

    async def open(self, emitter: EmitterRef, name: str, *, not_after: float) -> RemoteBatch:
        """Open an empty batch of this name."""
        return remote_batch(await self._client.batches.create(emitter.remote_id, name, not_after=not_after))

    async def find(self, emitter: EmitterRef, name: str) -> Sequence[RemoteBatch]:
        """Return the emitter's batches of exactly this name."""
        return [remote_batch(each) for each in await self._client.batches.find(name, emitter.remote_id)]

    async def batches(self, emitter: EmitterRef) -> Sequence[RemoteBatch]:
        """Return all batches of the emitter, even if the provider ignores the filter."""
        listed = await self._client.batches.all(emitter_id=emitter.remote_id)
        return [remote_batch(each) for each in listed if each.emitter_id == emitter.remote_id]

    async def read(self, batch_id: int) -> RemoteBatch:
        return remote_batch(await self._client.batches.read(batch_id))

    async def invoices(self, batch_id: int, *, is_rejected: bool = False) -> AsyncIterator[InvoicePage]:
        """Yield the batch's notes page by page; with `is_rejected`, those that the provider's filter returns."""
        async for page in self._client.batches.notes(batch_id, status="rejected" if is_rejected else None):
            yield InvoicePage(page.count, [remote_invoice(note) for note in page.items])

    async def sample(self, batch_id: int, count: int) -> InvoicePage | None:
        """Return a random page of a batch of `count` notes; None if the list has become shorter."""
        number = 1 + secrets.randbelow(max(1, -(-count // NOTES_A_PAGE)))
        page = await self._client.batches.page(batch_id, number)
        return None if page is None else InvoicePage(page.count, [remote_invoice(note) for note in page.items])

    async def send(self, batch_id: int, *, not_after: float) -> RemoteBatch:
        return remote_batch(await self._client.batches.send(batch_id, not_after=not_after))

    async def delete(self, remote_id: int, *, not_after: float) -> None:
        """Delete a note that was not sent."""
        await self._client.notes.delete(remote_id, not_after=not_after)


class NfseRegister:
    """The takers, templates and emitters of the account."""

    def __init__(self, client: NfseClient) -> None:
        self._client = client

    async def customers(self, document: Document) -> Sequence[RemoteCustomer]:
        """Return the takers with exactly this document."""
        return [remote_customer(each) for each in await self._client.takers.find(document)]

    async def customers_listed(self, documents: Collection[str]) -> Mapping[str, RemoteCustomer] | None:
        """Return the takers with these documents, by document, from the list of all takers.

        None if that list has more pages than there are `documents`: then single searches cost less.
        """
        wanted = frozenset(documents)
        found: dict[str, RemoteCustomer] = {}
        async for page in self._client.takers.listed():
            if page.count > NOTES_A_PAGE * len(wanted):
                return None
            found |= {each.document: each for each in map(remote_customer, page.items) if each.document in wanted}
        return found

    async def customer(self, remote_id: int) -> RemoteCustomer | None:
        """Return the taker with this id, None when there is none."""
        try:
            return remote_customer(await self._client.takers.read(remote_id))
        except NotFound:
            return None

    async def create_customer(self, data: TakerData) -> RemoteCustomer:
        """Create a taker."""
        return remote_customer(await self._client.takers.create(customer_body(data)))

    async def update_customer(self, remote_id: int, data: TakerData) -> RemoteCustomer:
        """Change the fields that `data` fills."""
        return remote_customer(await self._client.takers.update(remote_id, customer_changes(data)))

    async def templates(self, emitter: EmitterRef, name: str | None = None) -> Sequence[RemoteTemplate]:
        """Return the emitter's templates, even if the provider ignores the filters [A 1.14]."""
        calls = self._client.service_values
        if name is not None:
            return [remote_template(each) for each in await calls.find(emitter.remote_id, name)]
        listed = await calls.all(emitter_id=emitter.remote_id)
        return [remote_template(each) for each in listed if each.emitter_id == emitter.remote_id]

    async def calculate(self, template_id: int, service_cents: int) -> int:
        """Return the provider's own liquid amount in cents."""
        return await self._client.service_values.calculate(template_id, service_cents)

    async def records(self, kind: RecordKind, emitter: EmitterRef | None = None) -> Sequence[MasterRecord]:
        """Return all emitters, or the templates of `emitter`, which templates require."""
        if kind == "emitter":
            return [self._record(kind, each) for each in await self._client.emitters.all()]
        assert emitter is not None
        listed = await self._client.service_values.all(emitter_id=emitter.remote_id)
        return [self._record(kind, each) for each in listed if each.emitter_id == emitter.remote_id]

    async def read_record(self, kind: RecordKind, remote_id: int) -> MasterRecord:
        return self._record(kind, await self._calls(kind).read(remote_id))

    async def create_template(self, emitter: EmitterRef, name: str, values: Mapping[str, Value]) -> MasterRecord:
        body = {"emitter_id": emitter.remote_id, "name": name, **record_body("template", values)}
        try:
            return self._record("template", await self._client.service_values.create(body))
        except Refused as refused:
            _raise_in_our_words("template", refused)

    async def update_record(self, kind: RecordKind, remote_id: int, values: Mapping[str, Value]) -> MasterRecord:
        """Change these fields of a record."""
        try:
            return self._record(kind, await self._calls(kind).update(remote_id, record_body(kind, values)))
        except NotFound:
            raise
        except Refused as refused:
            _raise_in_our_words(kind, refused)

    def _calls(self, kind: RecordKind) -> RecordCalls[Any, Any, Any]:
        return self._client.service_values if kind == "template" else self._client.emitters

    @staticmethod
    def _record(kind: RecordKind, found: Any) -> MasterRecord:
        return master_record(kind, found.id, found.name if kind == "template" else found.social_reason, found.body)


def _raise_in_our_words(kind: RecordKind, refused: Refused) -> NoReturn:
    raise type(refused)(
        refused.call,
        status=refused.status,
        messages=our_messages(kind, refused.messages),
        keys=refused.keys,
        wire=refused.wire,
        detail=refused.detail,
    ) from refused
