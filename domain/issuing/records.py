"""The plain records that the stations and an issuer exchange, in the words of invoices.

Instants are aware, money is integer cents, rates are basis points. Identifiers of ours are text; ids of the issuer
(`id`, `…_id`, `remote_id`) are integers. None means that the issuer does not tell.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from domain.master_fields import Value
from domain.parties import TakerData
from domain.problems import Problem
from domain.states import InvoiceState
from domain.templates import ServiceTemplate


@dataclass(frozen=True, slots=True)
class EmitterRef:
    """An emitter in calls: the issuer's id and the canonical CNPJ."""

    remote_id: int
    cnpj: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceKey:
    """The permanent identity of an invoice: number `(emitter, serie, number)` and the digest of its content."""

    emitter: EmitterRef
    serie: str
    number: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """One invoice to be posted once.

    `content` is the canonical invoice. `batch_id` is the issuer's batch, None if the post issues.
    `emission_at` serves content without an instant of its own. Where the post issues, both may be None: the issuer
    dates the invoice.
    """

    key: InvoiceKey
    content: Mapping[str, Any]
    batch_id: int | None = None
    emission_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """One reason why the tax authority rejected an invoice, in its words."""

    code: str
    description: str
    tip: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the JSON form for the ledger."""
        return {"code": self.code, "description": self.description, "tip": self.tip}


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteInvoice:
    """An invoice as the issuer shows it.

    Attributes:
        state: Our state; None for an undocumented status.
        status: The issuer's own word for the state.
        emitter_cnpj: The CNPJ in the access key; None without an access key. The same is true of `kind`.
        serie: The serie in the access key, else the issuer's field. The same is true of `number`.
        amounts: Cents by our names.
        total_cents: What the customer pays, in cents.
        replaces: Serie and number of the invoice that this invoice replaces.
        shown: The other values of the canonical invoice that the issuer shows, by their names there; see
            `domain.issuing.shown_values`.
        own_key: The key that we put into the post, as the issuer repeats it.
        number_exists: The only reason for the rejection is another invoice with the same number. Its content is
            unknown.
    """

    id: int
    state: InvoiceState | None
    status: str
    batch_id: int | None = None
    emitter_id: int | None = None
    emitter_cnpj: str | None = None
    kind: str | None = None
    is_complete: bool = True
    serie: str | None = None
    number: int | None = None
    customer_document: str | None = None
    customer_name: str | None = None
    amounts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    total_cents: int | None = None
    competence: date | None = None
    issued_at: datetime | None = None
    document_number: str | None = None
    access_key: str | None = None
    replaces: tuple[str, int] | None = None
    shown: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    errors: tuple[Rejection, ...] = ()
    own_key: str | None = None
    number_exists: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to a post.

    `is_as_documented`: the HTTP status is the one that the issuer documents for a successful post. `answered` is what
    the answer repeats of the invoice. After `last_byte_at` no byte of the request leaves us.
    """

    answered: RemoteInvoice
    http_status: int
    is_as_documented: bool
    last_byte_at: datetime | None


@dataclass(frozen=True, slots=True)
class SerieRecord:
    """The issuer's record of a serie. `latest_id` is the id of the invoice with the latest number."""

    latest_number: int | None = None
    latest_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Our account at the issuer: `issued` invoices of `allowance`.

    `allowance` is text; None or a phrase means no known limit.
    """

    uuid: str
    name: str
    issued: int | None = None
    allowance: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEmitter:
    """An emitter as the issuer shows it. `fault` says why it cannot issue now; None: it can issue.

    `tax_regime` is 1 simples nacional, 2 the same above the sublimit, 3 normal.
    """

    id: int
    cnpj: str
    name: str
    city_code: str = ""
    city: str | None = None
    state: str | None = None
    tax_regime: int | None = None
    fault: Problem | None = None

    @property
    def ref(self) -> EmitterRef:
        """The reference that calls use."""
        return EmitterRef(self.id, self.cnpj)


class BatchProgress(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    PROCESSING = "processing"
    PROCESSED = "processed"


@dataclass(frozen=True, slots=True)
class BatchCounters:
    """The number of a batch's invoices in each state, and in total."""

    created: int = 0
    scheduled: int = 0
    processing: int = 0
    accepted: int = 0
    rejected: int = 0
    cancelled: int = 0
    cancelling: int = 0
    total: int = 0

    def to_json(self) -> dict[str, int]:
        """Return the JSON form for the ledger."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """A batch as the issuer shows it. `status` is the issuer's word."""

    id: int
    emitter_id: int
    name: str
    progress: BatchProgress
    status: str
    counters: BatchCounters


@dataclass(frozen=True, slots=True)
class InvoicePage:
    """One page of a listing. `count` is the number of invoices that the issuer gives for the whole listing."""

    count: int
    invoices: Sequence[RemoteInvoice]


@dataclass(frozen=True, slots=True)
class RemoteCustomer:
    """A customer as the issuer keeps it. An incomplete one cannot be invoiced."""

    id: int
    data: TakerData
    is_complete: bool = True

    @property
    def document(self) -> str:
        """The canonical CPF or CNPJ, empty if the issuer has none."""
        return "" if self.data.document is None else self.data.document.number


@dataclass(frozen=True, slots=True)
class RemoteTemplate:
    """A service template as the issuer keeps it. `template` is None when its values cannot be read."""

    id: int
    emitter_id: int
    name: str
    template: ServiceTemplate | None


@dataclass(frozen=True, slots=True)
class MasterRecord:
    """Master data as the issuer shows it: `values` holds the filled fields by our names (`domain.master_fields`)."""

    id: int
    name: str
    cnpj: str
    city_code: str
    values: Mapping[str, Value]
