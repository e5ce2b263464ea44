"""Find the months to compare, and the charges of contracts in them."""

from collections.abc import Collection
from datetime import date

from connectors.ledger import contracts as ledger_contracts
from domain.contracts.schedule import is_charged
from domain.forecasts.months import month_before
from tasks.runtime import Context


def months_to_compare(months: Collection[date]) -> set[date]:
    """Return these months and the two before each."""
    before = {month_before(month) for month in months}
    return {*months, *before, *(month_before(month) for month in before)}


def charged_customers(context: Context, months: Collection[date]) -> set[tuple[str, str, date]]:
    """Return the emitter's CNPJ, the customer's document and the month of each contract's charge."""
    contracts = [each.contract for each in context.ledger.read(ledger_contracts.contracts_all)]
    return {
        (each.emitter_cnpj, each.customer.number, month)
        for each in contracts
        for month in months
        if is_charged(each, month)
    }
