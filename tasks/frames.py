"""The ledger as typed pandas frames, for closing reports and for analysts.

Identifiers are strings, amounts integer cents (`Int64`), instants aware (UTC), days and months dates; what is unknown
is `NA`. `docs/frames.md` says what each column holds. `chunks` reads in bounded memory, `frame` reads all of a table.

```python
with open_context("local") as context:
    invoices = frame(context, "invoices", competence=date(2026, 11, 1))
    invoices.groupby("template")["service_cents"].sum()
```
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, Final, Literal, TypeVar

import orjson
import pandas as pd
import pyarrow as pa

from connectors.ledger.observations.table_pages import PAGE_ROWS, TablePages, with_pages
from tasks.runtime import Context

T = TypeVar("T")
Table = Literal["batches", "contracts", "invoices", "orders", "paid_invoices", "rows"]
Chunks = Iterator[pd.DataFrame]

_TEXT, _INTEGER, _FLAG, _DAY = pa.string(), pa.int64(), pa.bool_(), pa.date32()
_INSTANT: Final = pa.timestamp("us", tz="UTC")
TAXES: Final = ("iss", "retained_iss", "pis", "cofins", "csll", "ir", "inss", "other_retentions")
"""Amounts that an invoice's taxes and retentions come to; each has a column `…_cents`."""
_AMOUNTS: Final = ("calculation_base_cents", "deduction_cents", *(f"{tax}_cents" for tax in TAXES))
_TERMS: Final = ("key", "emitter_cnpj", "customer_name", "template_name", "cents", "starts_on", "ends_on",
                 "billing_day", "cadence_months", "is_prorated", "readjustment_bp", "index")  # fmt: skip
_TERM_TYPES: Final = {"cents": _INTEGER, "cadence_months": _INTEGER, "readjustment_bp": _INTEGER, "is_prorated": _FLAG,
                      "starts_on": _DAY, "ends_on": _DAY}  # fmt: skip

SCHEMAS: Final[dict[str, pa.Schema]] = {
    "batches": pa.schema({
        "id": _INTEGER, "reading_id": _INTEGER, "kind": _TEXT, "issuer": _TEXT, "emitter_cnpj": _TEXT,
        "competence": _DAY, "state": _TEXT, "count": _INTEGER, "total_cents": _INTEGER, "approver": _TEXT,
        "approved_at": _INSTANT, "sent_at": _INSTANT, "closed_at": _INSTANT,
    }),
    "contracts": pa.schema({
        "version": _INTEGER, "customer_document": _TEXT, "changed_at": _INSTANT, "changed_by": _TEXT, "because": _TEXT,
        **{name: _TERM_TYPES.get(name, _TEXT) for name in _TERMS},
    }),
    "invoices": pa.schema({
        "id": _INTEGER, "row_id": _INTEGER, "batch_id": _INTEGER, "kind": _TEXT, "issuer": _TEXT, "state": _TEXT,
        "competence": _DAY, "emitter_cnpj": _TEXT, "taker_document": _TEXT, "taker_name": _TEXT, "template": _TEXT,
        "serie": _TEXT, "number": _INTEGER, "nfse_number": _TEXT, "nfse_key": _TEXT, "emission_at": _INSTANT,
        "business_key": _TEXT, "service_cents": _INTEGER, "liquid_cents": _INTEGER,
        **dict.fromkeys(_AMOUNTS, _INTEGER),
    }),
    "orders": pa.schema({
        "plan_slug": _TEXT, "number": _INTEGER, "account_uuid": _TEXT, "client_name": _TEXT, "client_document": _TEXT,
        "amount_cents": _INTEGER, "charge_day": _INTEGER, "is_active": _FLAG, "is_paid": _FLAG, "is_trial": _FLAG,
        "is_recurring": _FLAG, "created_at": _INSTANT, "activated_at": _INSTANT, "active_until": _INSTANT,
        "next_payment_at": _INSTANT,
    }),
    "paid_invoices": pa.schema({
        "plan_slug": _TEXT, "number": _INTEGER, "plan_name": _TEXT, "order_number": _INTEGER, "client_name": _TEXT,
        "client_document": _TEXT, "payment_method": _TEXT, "amount_cents": _INTEGER, "total_cents": _INTEGER,
        "created_at": _INSTANT, "paid_at": _INSTANT, "charge_on": _DAY, "mirrored_at": _INSTANT,
    }),
    "rows": pa.schema({
        "id": _INTEGER, "file_id": _INTEGER, "reading_id": _INTEGER, "sheet": _TEXT, "row_number": _INTEGER,
        "state": _TEXT, "emitter_cnpj": _TEXT, "taker_document": _TEXT, "template": _TEXT, "business_key": _TEXT,
        "run_competence": _TEXT, "problems": _TEXT,
    }),
}  # fmt: skip
"""The columns of each frame, as Arrow has them; Parquet files are written with these types."""

_DTYPES: Final[dict[pa.DataType, Any]] = {
    _TEXT: pd.StringDtype("pyarrow"),
    _INTEGER: pd.Int64Dtype(),
    _FLAG: pd.BooleanDtype(),
    _DAY: pd.ArrowDtype(_DAY),
}


def frame(context: Context, table: Table, *, competence: date | None = None) -> pd.DataFrame:
    """Return a whole table, or the invoices or batches of one month."""
    return read_chunks(context, lambda pages: joined(table, chunks(pages, table, competence=competence)))


def read_chunks(context: Context, use: Callable[[TablePages], T]) -> T:
    """Return what `use` makes of one snapshot of the ledger: `chunks` of it are read while `use` runs."""
    return context.ledger.read(with_pages, use)


def chunks(
    pages: TablePages,
    table: Table,
    *,
    competence: date | None = None,
    until_event: int | None = None,
    most: int = PAGE_ROWS,
) -> Chunks:
    """Yield a table as frames of at most `most` rows. The arguments are those of `TablePages.pages`."""
    for page in pages.pages(table, competence=competence, until_event=until_event, most=most):
        yield to_frame(arrow_of(table, page))


def joined(table: Table, parts: Chunks) -> pd.DataFrame:
    """Return the chunks of a table as one frame, typed even where there is none."""
    found = list(parts)
    return pd.concat(found, ignore_index=True) if found else to_frame(SCHEMAS[table].empty_table())


def to_frame(rows: pa.Table) -> pd.DataFrame:
    """Return a table with pandas' own types."""
    made: pd.DataFrame = rows.to_pandas(types_mapper=_DTYPES.get)
    return made


def arrow_of(table: Table, page: Sequence[Sequence[Any]]) -> pa.Table:
    """Return a page of the ledger with the columns of `SCHEMAS`."""
    columns = [list(column) for column in zip(*page, strict=True)]
    if table == "invoices":
        amounts = [orjson.loads(text) for text in columns.pop()]
        columns += [[each.get(name) for each in amounts] for name in _AMOUNTS]
    elif table == "rows":
        columns[-1] = [", ".join(problem["code"] for problem in orjson.loads(text)) or None for text in columns[-1]]
    elif table == "contracts":
        terms = [orjson.loads(text) for text in columns.pop(2)]
        columns += [[_term(name, each[name]) for each in terms] for name in _TERMS]
    schema = SCHEMAS[table]
    return pa.Table.from_arrays(
        [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema
    )


def _term(name: str, value: Any) -> Any:
    return date.fromisoformat(value) if name in ("starts_on", "ends_on") and value is not None else value
