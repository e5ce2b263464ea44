"""List the contracts as they were at a closing: what the month billed, or why it billed nothing."""

from dataclasses import dataclass

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.closings import Closing
from connectors.ledger.contracts import folded_key
from domain.contracts.charges import keys_of_charge
from domain.contracts.contract import Contract
from domain.contracts.schedule import is_charged
from tasks.closing.figures import MonthFigures
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class ClosedContract:
    """A contract as it was at a closing, and the business keys of its charge in the month.

    `unbilled_because` is the reason for the case that it has no invoice: the end of a message code
    `closing.contract.…`.
    """

    contract: Contract
    keys: frozenset[str]
    unbilled_because: str

    def cents(self, figures: MonthFigures) -> int | None:
        """Return the total of its invoices in the month in cents, or None."""
        found = [figures.billed[key] for key in self.keys if key in figures.billed]
        return sum(found) if found else None

    def status(self, figures: MonthFigures) -> str:
        """Return the end of a message code `closing.contract.…`: `billed`, or why no invoice of the month bills it.

        `cancelled`, `replaced` (by an invoice of another month), `late` (billed in another month), or
        `unbilled_because`.
        """
        if self.cents(figures) is not None:
            return "billed"
        return next((figures.ended[key] for key in self.keys if key in figures.ended), self.unbilled_because)


def contracts_of(context: Context, closing: Closing) -> list[ClosedContract]:
    """Return every contract that the ledger had at the closing, sorted by key."""
    month = closing.competence
    contracts = context.ledger.read(ledger_contracts.contracts_until, closing.last_contract)
    pasts = context.ledger.read(ledger_contracts.contract_histories, last_id=closing.last_contract)
    found = []
    for each in contracts:
        past = pasts[folded_key(each.contract.key)]
        reason = _reason(each.contract, closing, was_known=past.first_month <= month)
        found.append(
            ClosedContract(each.contract, frozenset(keys_of_charge(each.contract, month, past.emitters)), reason)
        )
    return found


def _reason(contract: Contract, closing: Closing, *, was_known: bool) -> str:
    month = closing.competence
    if contract.ends_on is not None and contract.ends_on < month:
        return "ended"
    if any(pause.covers(month) for pause in contract.pauses):
        return "paused"
    if not is_charged(contract, month):
        return "no_charge"
    return "unbilled" if was_known else "entered_later"
