"""The issuer port for product invoices of one kind: the post issues, and our own id finds an invoice again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from connectors.http.errors import NotFound, PartlyUnreadable
from connectors.nfe.client import NfeClient
from connectors.nfe.fiscal import SHORTEST_REASON
from connectors.nfe.invoices import Invoice, InvoiceCalls, Kind
from connectors.nfe.issuing.answers import invoice_state, is_number_taken, regime_of, sale_in_answer
from connectors.nfe.issuing.documents import wire_content
from connectors.nfe.organizations import Organization
from domain.invoice_numbers import PRODUCT_NUMBERS
from domain.issuing import (
    Capabilities,
    EmitterRef,
    InvoiceKey,
    Lookup,
    Posting,
    Receipt,
    Rejection,
    RemoteEmitter,
    RemoteInvoice,
    SerieRecord,
)
from domain.problems import Problem
from domain.products.keys import parse_access_key, remote_id
from domain.products.texts import transliterate
from domain.states import InvoiceState

SecurityCode = Callable[[str], tuple[str, str]]
"""Returns CSC and its id of the issuer with this CNPJ; raises `SettingsError` when it has none."""

_LISTED: Final = 100
_MADE: Final = frozenset({200, 201, 202})
_CANCEL_WINDOWS: Final = {"nfe": timedelta(hours=24), "nfce": timedelta(minutes=30)}


def capabilities(kind: Kind, *, extensions: bool) -> Capabilities:
    """Return the capabilities for this document kind; without the extensions no lookup is possible."""
    return Capabilities(
        is_staged=False,
        lookup=Lookup.KEY if extensions else Lookup.NOTHING,
        can_read=extensions,
        can_list=extensions,
        has_serie_record=False,
        repeats_content=False,
        numbers=PRODUCT_NUMBERS,
        largest_batch=None,
        can_cancel=extensions,
        shortest_reason=SHORTEST_REASON,
        cancel_window=_CANCEL_WINDOWS[kind],
        documents=frozenset({"pdf", "xml"}) if extensions else frozenset(),
    )


@dataclass(frozen=True, slots=True)
class NfeIssuer:
    """The issuer. It uses an open client; `kind` is also the name of the issuer."""

    client: NfeClient
    kind: Kind
    security_code: SecurityCode

    @property
    def name(self) -> str:
        """The issuer's name in the ledger: one for each kind, so that series and numbers stay separate."""
        return self.kind

    @property
    def capabilities(self) -> Capabilities:
        """Return what this provider can do."""
        return capabilities(self.kind, extensions=self.client.extensions)

    @property
    def staging(self) -> None:
        """Return None: this provider issues an invoice when it is posted, without staging."""

    @property
    def register(self) -> None:
        """Return None: the provider keeps no customers and templates; each invoice has its customer's data."""

    @property
    def history(self) -> "NfeHistory | None":
        """Return the lookups if the provider has the extensions, else None."""
        return NfeHistory(self.client, self.kind) if self.client.extensions else None

    async def account(self) -> None:
        """Return None: the provider has no account resource."""

    async def emitters(self, cnpj: str | None = None) -> Sequence[RemoteEmitter]:
        """Return all organizations, or those with exactly this CNPJ."""
        calls = self.client.organizations
        return [_remote_emitter(each) for each in await (calls.all() if cnpj is None else calls.find(cnpj))]

    def check_ready(self, emitter: EmitterRef) -> None:
        """Raise `SettingsError` when an NFC-e would lack its security code."""
        self._code(emitter)

    async def serie(self, emitter: EmitterRef, serie: str) -> SerieRecord | None:
        """Infer the serie's latest number from the newest invoices: the provider keeps no record of series."""
        if self.history is None:
            return None
        used = {
            invoice.number: invoice.id
            for invoice in await self.history.newest(emitter)
            if (invoice.emitter_cnpj, invoice.kind, invoice.serie) == (emitter.cnpj, self.kind, serie)
            and invoice.number is not None
        }
        return SerieRecord(max(used), used[max(used)]) if used else None

    async def post(self, posting: Posting, *, not_after: float) -> Receipt:
        """Post one invoice, and thereby issue it. The answer has only an id and a status."""
        key = posting.key
        csc, id_token = self._code(key.emitter)
        body = self._calls.body(
            wire_content(posting.content),
            serie=int(key.serie),
            number=key.number,
            remote_id=own_id(self.kind, key),
            csc=csc,
            id_token=id_token,
        )
        posted = await self._calls.create(key.emitter.remote_id, body, not_after=not_after)
        return Receipt(
            answered=RemoteInvoice(id=posted.id, state=invoice_state(posted.status), status=posted.status),
            http_status=posted.http_status,
            is_as_documented=posted.http_status in _MADE,
            last_byte_at=posted.wire.last_byte_at,
        )

    async def read(self, emitter: EmitterRef, remote_id: int) -> RemoteInvoice:
        return remote_invoice(await self._calls.read(emitter.remote_id, remote_id))

    async def cancel(
        self, emitter: EmitterRef, remote_id: int, *, reason: str, not_after: float
    ) -> InvoiceState | None:
        """Cancel an issued invoice. Return its new state: `ACCEPTED` if the cancellation was rejected.

        The reason is sent without accents.
        """
        calls = self.client.nfe if self.kind == "nfe" else self.client.nfce
        plain_reason = transliterate(reason)
        return invoice_state(await calls.cancel(emitter.remote_id, remote_id, plain_reason, not_after=not_after))

    async def document(self, emitter: EmitterRef, remote_id: int, kind: Literal["pdf", "xml"]) -> str | None:
        """Return the URL of the invoice's PDF or XML, None while there is none."""
        try:
            found = await self._calls.read(emitter.remote_id, remote_id)
        except NotFound:
            return None
        return found.paper_url if kind == "pdf" else found.xml_url

    @property
    def _calls(self) -> InvoiceCalls:
        return self.client.of_kind(self.kind)

    def _code(self, emitter: EmitterRef) -> tuple[str | None, str | None]:
        """Return CSC and its id, for an NFC-e only; store them nowhere."""
        return (None, None) if self.kind == "nfe" else self.security_code(emitter.cnpj)


@dataclass(frozen=True, slots=True)
class NfeHistory:
    """Lookups, which need the provider's extensions [A 2.1]."""

    client: NfeClient
    kind: Kind

    async def look_up(self, key: InvoiceKey) -> RemoteInvoice | None:
        """Return the invoice with our own id, or None if the provider has none."""
        found = await self.client.of_kind(self.kind).find(key.emitter.remote_id, own_id(self.kind, key))
        return None if found is None else remote_invoice(found)

    def own_key(self, key: InvoiceKey) -> str:
        """Return our own id of the invoice."""
        return own_id(self.kind, key)

    async def invoices_with_key(self, key: InvoiceKey) -> Sequence[RemoteInvoice]:
        """Return every invoice with our own id, as far as one list shows them."""
        calls, ours = self.client.of_kind(self.kind), self.own_key(key)
        return [remote_invoice(each) for each in await calls.invoices_with_key(key.emitter.remote_id, ours)]

    async def newest(self, emitter: EmitterRef, *, is_cancelled: bool = False) -> Sequence[RemoteInvoice]:
        """Return at most the hundred newest; the provider sorts and filters, and nobody checks that [A 2.6]."""
        calls, status = self.client.of_kind(self.kind), "cancelled" if is_cancelled else None
        try:
            listed = await calls.latest(emitter.remote_id, status=status, limit=_LISTED)
        except PartlyUnreadable as error:
            error.items = tuple(map(remote_invoice, error.items))
            raise
        return [remote_invoice(each) for each in listed]

    async def issued_between(self, emitter: EmitterRef, since: datetime, until: datetime) -> Sequence[RemoteInvoice]:
        """Return invoices of the period, as many as a list shows; the provider filters them."""
        calls = self.client.of_kind(self.kind)
        return [remote_invoice(each) for each in await calls.within(emitter.remote_id, since, until)]


def own_id(kind: Kind, key: InvoiceKey) -> str:
    """Return our own id of an invoice, which finds it again."""
    return remote_id(
        cnpj=key.emitter.cnpj, kind=kind, serie=int(key.serie), number=key.number, content_digest=key.digest
    )


def remote_invoice(there: Invoice) -> RemoteInvoice:
    """Convert the client's invoice into the issuer port's.

    Emitter, kind, serie and number come from the access key. Before it exists, serie and number come from the request
    that the provider repeats, if it does.
    """
    key = parse_access_key(there.access_key) if there.access_key else None
    is_counter_sale = key is not None and key.kind == "nfce"
    sale = sale_in_answer(there.answer.get("data"), is_counter_sale=is_counter_sale) if there.answer else None
    found = RemoteInvoice(
        id=there.id,
        state=invoice_state(there.status),
        status=there.status,
        emitter_id=there.organization_id,
        serie=None if there.serie is None else str(there.serie),
        number=there.number,
        customer_document=None if sale is None else sale[0],
        total_cents=None if sale is None else sale[1],
        issued_at=there.issued_at,
        document_number=None if there.number is None else str(there.number),
        access_key=there.access_key,
        errors=tuple(Rejection("", text) for text in there.errors),
        own_key=there.remote_id,
        number_exists=there.status == "rejected" and is_number_taken(there.errors),
    )
    if key is None:
        return found
    return replace(
        found,
        emitter_cnpj=key.cnpj,
        kind=key.kind,
        serie=str(key.serie),
        number=key.number,
        competence=key.month,
    )


def _remote_emitter(organization: Organization) -> RemoteEmitter:
    address, fault = organization.address, None
    if organization.certificate is None:
        fault = Problem("emitter.no_certificate", "emitter_cnpj", params={"cnpj": organization.cnpj})
    return RemoteEmitter(
        id=organization.id,
        cnpj=organization.cnpj,
        name=organization.legal_name,
        city_code=(address.city_code if address else None) or "",
        city=address.city if address else None,
        state=address.state if address else None,
        tax_regime=regime_of(organization.tax_regime),
        fault=fault,
    )
