"""Station 3 for product sheets: each issuer is looked up once; a customer travels with its order."""

from connectors.ledger import rows as ledger_rows
from domain.left_rows import count_left
from domain.run_report import Subject, Tally
from domain.states import RowState
from tasks.products.issuer_search import find_issuers
from tasks.runtime import Runtime


async def resolve_products(runtime: Runtime, reading_id: int) -> Tally:
    """Find the organization of each order.

    Safe to repeat: organizations are only looked up.
    """
    records = await runtime.ledger.reading(
        ledger_rows.rows_of, reading_id, RowState.READ, limit=runtime.settings.limits.rows
    )
    good, bad = await find_issuers(runtime, records)
    await runtime.ledger.writing(ledger_rows.refuse_rows, bad, because="parties not resolved")
    await runtime.ledger.writing(ledger_rows.resolve_rows, good, keys={})
    return Tally(
        "resolve", Subject("reading", reading_id), counts={"resolved": len(good), **count_left(bad.values()).tallied()}
    )
