"""The port between the stations and an issuer: verbs, capabilities and the records they exchange."""

from domain.issuing.capabilities import SERVICE, Capabilities, Lookup
from domain.issuing.hints import Hint
from domain.issuing.port import History, Issuer, RecordKind, Register, Staging
from domain.issuing.records import (
    Account,
    BatchCounters,
    BatchProgress,
    EmitterRef,
    InvoiceKey,
    InvoicePage,
    MasterRecord,
    Posting,
    Receipt,
    Rejection,
    RemoteBatch,
    RemoteCustomer,
    RemoteEmitter,
    RemoteInvoice,
    RemoteTemplate,
    SerieRecord,
)
from domain.issuing.service_invoice import ServiceInvoice

__all__ = [
    "SERVICE",
    "Account",
    "BatchCounters",
    "BatchProgress",
    "Capabilities",
    "EmitterRef",
    "Hint",
    "History",
    "InvoiceKey",
    "InvoicePage",
    "Issuer",
    "Lookup",
    "MasterRecord",
    "Posting",
    "Receipt",
    "RecordKind",
    "Register",
    "Rejection",
    "RemoteBatch",
    "RemoteCustomer",
    "RemoteEmitter",
    "RemoteInvoice",
    "RemoteTemplate",
    "SerieRecord",
    "ServiceInvoice",
    "Staging",
]
