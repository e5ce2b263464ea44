"""Convert pages of the ledger to columns of Arrow, and these to pandas' types."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

import orjson
import pandas as pd
import pyarrow as pa

from tasks.frames.schemas import AMOUNTS, DAY, FLAG, INTEGER, SCHEMAS, TERMS, TEXT, Table

_DTYPES: Final[dict[pa.DataType, Any]] = {
    TEXT: pd.StringDtype("pyarrow"),
    INTEGER: pd.Int64Dtype(),
    FLAG: pd.BooleanDtype(),
    DAY: pd.ArrowDtype(DAY),
}


def to_frame(rows: pa.Table) -> pd.DataFrame:
    """Convert an Arrow table to pandas, with pandas' nullable types."""
    made: pd.DataFrame = rows.to_pandas(types_mapper=_DTYPES.get)
    return made


def arrow_of(table: Table, page: Sequence[Sequence[Any]]) -> pa.Table:
    """Convert a page of the ledger's table to Arrow, with the columns and types of `SCHEMAS`."""
    columns = [list(column) for column in zip(*page, strict=True)]
    if table == "invoices":
        amounts = [orjson.loads(text) for text in columns.pop()]
        columns += [[each.get(name) for each in amounts] for name in AMOUNTS]
    elif table == "rows":
        columns[-1] = [", ".join(problem["code"] for problem in orjson.loads(text)) or None for text in columns[-1]]
    elif table == "contracts":
        terms = [orjson.loads(text) for text in columns.pop(2)]
        columns += [[_term(name, each[name]) for each in terms] for name in TERMS]
    schema = SCHEMAS[table]
    return pa.Table.from_arrays(
        [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema
    )


def _term(name: str, value: Any) -> Any:
    return date.fromisoformat(value) if name in ("starts_on", "ends_on") and value is not None else value
