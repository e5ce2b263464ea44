"""Station 3 for product sheets: look up each issuer once. Customers need no look-up: invoices contain their data."""

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from domain.left_rows import count_left
from domain.states import RowState
from domain.station_result import StationResult, Subject
from tasks.issuance.document_completion import store_clear_documents
from tasks.products.issuer_search import find_issuers
from tasks.products.unclear_customers import clear_customers
from tasks.runtime import Runtime


async def resolve_products(runtime: Runtime, reading_id: int) -> StationResult:
    """Find the issuer of each order, and the document of its customer if the sheet leaves it unclear.

    Safe to repeat: issuers and customers are only looked up.
    """
    records = await runtime.ledger.read_async(
        ledger_rows.rows_of, reading_id, RowState.READ, limit=runtime.settings.limits.rows
    )
    reading = await runtime.ledger.read_async(ledger_files.reading_of, reading_id)
    clear = await clear_customers(runtime, records, reading.understood or {})
    await store_clear_documents(runtime, reading_id, clear)
    good, bad = await find_issuers(runtime, clear.of(records))
    await runtime.ledger.write_async(ledger_rows.refuse_rows, bad, because="parties not resolved")
    await runtime.ledger.write_async(ledger_rows.resolve_rows, good, keys={})
    left = count_left([*clear.bad.values(), *bad.values()]).report_counts()
    return StationResult("resolve", Subject("reading", reading_id), counts={"resolved": len(good), **left})
