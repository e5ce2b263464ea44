"""The port to an issuer: the verbs that the stations use.

A connector implements `Issuer` for one document kind. An issuer whose posted invoices wait for a send also has a
`Staging`. An issuer whose post issues has a `History`, if it can be asked. An issuer that keeps customers, templates or
emitters for us has a `Register`.

Every verb may raise the errors of `connectors.http.errors`: the class says whether the request may be repeated. A verb
that writes sends at most one request, and raises `Doubtful` when the outcome is unknown. `not_after` is the last
instant at which a request may be written, in seconds of `connectors.http.steady.steady_s`.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from domain.documents import Document
from domain.issuing.capabilities import Capabilities
from domain.issuing.records import (
    Account,
    EmitterRef,
    InvoiceKey,
    InvoicePage,
    MasterRecord,
    Posting,
    Receipt,
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

RecordKind = Literal["template", "emitter"]


class Staging(Protocol):
    """The batches of an issuer that stages.

    Posted invoices wait in a batch, and become tax documents only when the whole batch is sent.
    """

    async def open(self, emitter: EmitterRef, name: str, *, not_after: float) -> RemoteBatch:
        """Open an empty batch of this name."""
        ...

    async def find(self, emitter: EmitterRef, name: str) -> Sequence[RemoteBatch]:
        """Return the emitter's batches of exactly this name."""
        ...

    async def batches(self, emitter: EmitterRef) -> Sequence[RemoteBatch]:
        """Return all batches of the emitter."""
        ...

    async def read(self, batch_id: int) -> RemoteBatch: ...

    def invoices(self, batch_id: int, *, is_rejected: bool = False) -> AsyncIterator[InvoicePage]:
        """Yield the batch's invoices, or its rejected ones, page by page.

        One listing proves nothing: the pages may shift between two requests. Raises `PartlyUnreadable` after the last
        page if some invoices are not as documented: any invoice may be among them.
        """
        ...

    async def sample(self, batch_id: int, count: int) -> InvoicePage | None:
        """Return a random page of the batch's `count` invoices with one request; None if that page does not exist."""
        ...

    async def send(self, batch_id: int, *, not_after: float) -> RemoteBatch:
        """Send the batch: every invoice in it becomes a tax document. After any error, read the batch."""
        ...

    async def delete(self, remote_id: int, *, not_after: float) -> None:
        """Delete an invoice that was not sent. Raises `NotFound` if it is gone already."""
        ...


class Register(Protocol):
    """The master data that an issuer keeps: customers, service templates, and changeable emitter fields."""

    async def customers(self, document: Document) -> Sequence[RemoteCustomer]:
        """Return the customers with exactly this document."""
        ...

    async def customers_listed(self, documents: Collection[str]) -> Mapping[str, RemoteCustomer] | None:
        """Return customers by document from the list of all customers; None if one request each takes fewer requests.

        The issuer may have a customer that is missing here: look it up with `customers`.
        """
        ...

    async def customer(self, remote_id: int) -> RemoteCustomer | None:
        """Return the customer with this id, None when there is none."""
        ...

    async def create_customer(self, data: TakerData) -> RemoteCustomer:
        """Create a customer. Raises `Refused` if a field is wrong, or if the document exists: look it up again."""
        ...

    async def update_customer(self, remote_id: int, data: TakerData) -> RemoteCustomer:
        """Change only the fields that `data` fills; never the document."""
        ...

    async def templates(self, emitter: EmitterRef, name: str | None = None) -> Sequence[RemoteTemplate]:
        """Return the emitter's templates, or those of exactly this name."""
        ...

    async def calculate(self, template_id: int, service_cents: int) -> int:
        """Return the liquid amount in cents that the issuer computes for this template. Changes nothing."""
        ...

    async def records(self, kind: RecordKind, emitter: EmitterRef | None = None) -> Sequence[MasterRecord]:
        """Return all records of this kind. `emitter` is required for templates: only its own are returned."""
        ...

    async def read_record(self, kind: RecordKind, remote_id: int) -> MasterRecord: ...

    async def create_template(self, emitter: EmitterRef, name: str, values: Mapping[str, Value]) -> MasterRecord:
        """Create a template. Raises `Refused`, which names fields by our names."""
        ...

    async def update_record(self, kind: RecordKind, remote_id: int, values: Mapping[str, Value]) -> MasterRecord:
        """Change these fields. Raises `Refused`, which names fields by our names."""
        ...


class History(Protocol):
    """Finds issued invoices again, at an issuer where the post itself issues."""

    async def look_up(self, key: InvoiceKey) -> RemoteInvoice | None:
        """Find the invoice with our key; None when it is not there.

        Raises `Unreadable` when the issuer's answer proves neither presence nor absence.
        """
        ...

    def own_key(self, key: InvoiceKey) -> str:
        """Return our key as the issuer repeats it (`RemoteInvoice.own_key`)."""
        ...

    async def invoices_with_key(self, key: InvoiceKey) -> Sequence[RemoteInvoice]:
        """Return every invoice with our key that the issuer shows: one post may have arrived twice.

        An empty list does not prove that there is none.
        """
        ...

    async def newest(self, emitter: EmitterRef, *, is_cancelled: bool = False) -> Sequence[RemoteInvoice]:
        """Return one page of the emitter's invoices, newest first: of all of them, or of the cancelled ones.

        Call this and `issued_between` only where `can_list` is true. Raises `PartlyUnreadable` with the other invoices
        if some are not as documented: any invoice may be among those.
        """
        ...

    async def issued_between(self, emitter: EmitterRef, since: datetime, until: datetime) -> Sequence[RemoteInvoice]:
        """Return one page of the invoices of a period. Raises `Refused` if the issuer has no such filter."""
        ...


class Issuer(Protocol):
    """An issuer of one document kind: `kind` is `service`, `nfe` or `nfce`.

    The ledger stores `name` with each invoice, so a name never changes.
    """

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    @property
    def staging(self) -> Staging | None:
        """The batches of an issuer that stages; None if the post issues."""
        ...

    @property
    def history(self) -> History | None:
        """The means to find an issued invoice again; None if a batch shows it, or the issuer cannot be asked."""
        ...

    @property
    def register(self) -> Register | None:
        """The master data that the issuer keeps for us, if it keeps any."""
        ...

    async def account(self) -> Account | None:
        """Return the account; None if the issuer has none."""
        ...

    async def emitters(self, cnpj: str | None = None) -> Sequence[RemoteEmitter]:
        """Return all emitters, or those with exactly this CNPJ."""
        ...

    def check_ready(self, emitter: EmitterRef) -> None:
        """Raise `SettingsError` when a secret that posting needs is missing. Sends no request."""
        ...

    async def serie(self, emitter: EmitterRef, serie: str) -> SerieRecord | None:
        """Return what the issuer knows of the serie; None when it knows nothing."""
        ...

    async def post(self, posting: Posting, *, not_after: float) -> Receipt:
        """Post one invoice, once.

        Return every success that can be read, even an unexpected one: the caller compares it with the request.
        """
        ...

    async def read(self, emitter: EmitterRef, remote_id: int) -> RemoteInvoice:
        """Read one invoice. Raises `NotFound` if there is none."""
        ...

    async def cancel(
        self, emitter: EmitterRef, remote_id: int, *, reason: str, not_after: float
    ) -> InvoiceState | None:
        """Ask to cancel an issued invoice. Call it only if `can_cancel` is true.

        Only a person decides this fiscal act. Returns the invoice's new state: `cancelling` where the issuer decides
        later, `accepted` where it refused, None for an undocumented status. Raises `Refused`, `Disturbed` or `NotFound`
        if nothing was cancelled.
        """
        ...

    async def document(self, emitter: EmitterRef, remote_id: int, kind: Literal["pdf", "xml"]) -> str | None:
        """Return the URL of a document of the invoice, None while there is none. Open it without credentials."""
        ...
