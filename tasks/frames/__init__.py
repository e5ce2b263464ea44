"""Read the ledger as typed pandas frames, for closing reports and for analysts.

Identifiers are strings, amounts integer cents (`Int64`), instants aware (UTC), days and months dates; what is unknown
is `NA`. `docs/frames.md` says what each column holds. `chunks` reads in bounded memory, `frame` reads all of a table.

```python
with open_context("local") as context:
    invoices = frame(context, "invoices", competence=date(2026, 11, 1))
    invoices.groupby("template")["service_cents"].sum()
```
"""

from tasks.frames.columns import arrow_of, to_frame
from tasks.frames.reading import Chunks, chunks, frame, joined, read_chunks
from tasks.frames.schemas import SCHEMAS, TAXES, Table

__all__ = [
    "SCHEMAS", "TAXES", "Chunks", "Table", "arrow_of", "chunks", "frame", "joined", "read_chunks", "to_frame",
]  # fmt: skip
