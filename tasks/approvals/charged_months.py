"""Find the months to compare, the charges of contracts in them, and the customers of refused rows."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowRecord
from domain.contracts.schedule import is_charged
from domain.documents import parse_document
from domain.forecasts.month_comparison import month_before
from domain.problems import Problem
from domain.states import RowState
from tasks.runtime import SERVICES, Context
from tasks.sheets.kinds import kind_of


def months_to_compare(months: Collection[date]) -> set[date]:
    """Return these months and the two before each."""
    before = {month_before(month) for month in months}
    return {*months, *before, *(month_before(month) for month in before)}


def charged_customers(context: Context, months: Collection[date]) -> set[tuple[str, str, date]]:
    """Return (emitter CNPJ, customer document, month) of each charge of a contract in these months."""
    contracts = [each.contract for each in context.ledger.read(ledger_contracts.contracts_all)]
    return {
        (each.emitter_cnpj, each.customer.number, month)
        for each in contracts
        for month in months
        if is_charged(each, month)
    }


def left_customers(context: Context, reading_id: int) -> set[str]:
    """Return the documents of the customers whose rows a reading of services refused."""
    understood = context.ledger.read(ledger_files.reading_of, reading_id).understood or {"columns": []}
    return customers_of(_left_rows(context, reading_id), understood)


def customers_of(rows: Iterable[RowRecord], understood: Mapping[str, Any]) -> set[str]:
    """Return the customers' documents in these services rows; leave out rows without a valid document."""
    kind = kind_of(SERVICES)
    parsed = (parse_document(kind.summary_of_row(row, understood).taker_document or "") for row in rows)
    return {each.document.number for each in parsed if not isinstance(each, Problem)}


def _left_rows(context: Context, reading_id: int) -> Iterator[RowRecord]:
    after = 0
    while part := context.ledger.read(ledger_rows.rows_of, reading_id, RowState.REFUSED, after=after):
        yield from part
        after = part[-1].id
