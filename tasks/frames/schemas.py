"""Define the columns of each frame and their types."""

from typing import Final, Literal

import pyarrow as pa

Table = Literal["batches", "contracts", "invoices", "orders", "paid_invoices", "rows"]

TEXT, INTEGER, FLAG, DAY = pa.string(), pa.int64(), pa.bool_(), pa.date32()
_INSTANT: Final = pa.timestamp("us", tz="UTC")
TAXES: Final = ("iss", "retained_iss", "pis", "cofins", "csll", "ir", "inss", "other_retentions")
"""Taxes and retentions of an invoice; the amount of each is a column `…_cents`."""
AMOUNTS: Final = ("calculation_base_cents", "deduction_cents", *(f"{tax}_cents" for tax in TAXES))
TERMS: Final = ("key", "emitter_cnpj", "customer_name", "template_name", "cents", "starts_on", "ends_on",
                 "billing_day", "cadence_months", "is_prorated", "readjustment_bp", "index")  # fmt: skip
_TERM_TYPES: Final = {"cents": INTEGER, "cadence_months": INTEGER, "readjustment_bp": INTEGER, "is_prorated": FLAG,
                      "starts_on": DAY, "ends_on": DAY}  # fmt: skip

SCHEMAS: Final[dict[str, pa.Schema]] = {
    "batches": pa.schema({
        "id": INTEGER, "reading_id": INTEGER, "kind": TEXT, "issuer": TEXT, "emitter_cnpj": TEXT,
        "competence": DAY, "state": TEXT, "count": INTEGER, "total_cents": INTEGER, "approver": TEXT,
        "approved_at": _INSTANT, "sent_at": _INSTANT, "closed_at": _INSTANT,
    }),
    "contracts": pa.schema({
        "version": INTEGER, "customer_document": TEXT, "changed_at": _INSTANT, "changed_by": TEXT, "because": TEXT,
        **{name: _TERM_TYPES.get(name, TEXT) for name in TERMS},
    }),
    "invoices": pa.schema({
        "id": INTEGER, "row_id": INTEGER, "batch_id": INTEGER, "replaces_id": INTEGER, "kind": TEXT, "issuer": TEXT,
        "state": TEXT,
        "competence": DAY, "emitter_cnpj": TEXT, "taker_document": TEXT, "taker_name": TEXT, "template": TEXT,
        "serie": TEXT, "number": INTEGER, "nfse_number": TEXT, "nfse_key": TEXT, "emission_at": _INSTANT,
        "business_key": TEXT, "service_cents": INTEGER, "liquid_cents": INTEGER,
        **dict.fromkeys(AMOUNTS, INTEGER),
    }),
    "orders": pa.schema({
        "plan_slug": TEXT, "number": INTEGER, "account_uuid": TEXT, "client_name": TEXT, "client_document": TEXT,
        "amount_cents": INTEGER, "charge_day": INTEGER, "is_active": FLAG, "is_paid": FLAG, "is_trial": FLAG,
        "is_recurring": FLAG, "created_at": _INSTANT, "activated_at": _INSTANT, "active_until": _INSTANT,
        "next_payment_at": _INSTANT,
    }),
    "paid_invoices": pa.schema({
        "id": INTEGER, "plan_slug": TEXT, "number": INTEGER, "plan_name": TEXT, "order_number": INTEGER,
        "client_name": TEXT, "client_document": TEXT, "payment_method": TEXT, "amount_cents": INTEGER,
        "total_cents": INTEGER, "created_at": _INSTANT, "paid_at": _INSTANT, "charge_on": DAY, "mirrored_at": _INSTANT,
    }),
    "rows": pa.schema({
        "id": INTEGER, "file_id": INTEGER, "reading_id": INTEGER, "sheet": TEXT, "row_number": INTEGER,
        "state": TEXT, "emitter_cnpj": TEXT, "taker_document": TEXT, "template": TEXT, "business_key": TEXT,
        "run_competence": TEXT, "problems": TEXT,
    }),
}  # fmt: skip
"""The columns of each frame with their Arrow types. Parquet files have the same types."""
