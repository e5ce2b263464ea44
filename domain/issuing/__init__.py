"""The port between the line and whoever issues invoices: verbs, capabilities and the records they exchange."""

from domain.issuing.capabilities import Capabilities, Lookup
from domain.issuing.port import Issuer, RecordKind, Register, Staging
from domain.issuing.records import (
    Account,
    BatchCounters,
    BatchStanding,
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

__all__ = [
    "Account",
    "BatchCounters",
    "BatchStanding",
    "Capabilities",
    "EmitterRef",
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
    "Staging",
]
