"""Tell what a person does not see in a charge: an invoice with other terms, a one-off amount that nothing bills."""

from collections.abc import Iterator, Sequence

from connectors.ledger.billed_charges import BilledCharge
from connectors.ledger.contracts import CancelledCharge
from domain.competence import format_competence
from domain.contracts.charges import ContractCharge
from domain.contracts.contract import Adjustment, Contract
from domain.documents import Document
from domain.money import format_brl
from domain.problems import Problem
from domain.texts import folded_charge


def invoice_differences(
    contract: Contract, charge: ContractCharge | None, billed: Sequence[BilledCharge], *, is_charged: bool
) -> list[Problem]:
    """Return the differences between the invoices of a month and what the contract charges now.

    `charge` is None if the contract charges nothing (`is_charged`), or if its amount cannot be computed.
    """
    found = [] if is_charged else [Problem("contract.billed_uncharged")]
    if charge is not None and charge.cents != sum(each.cents for each in billed):
        found.append(Problem("contract.billed_otherwise", params={"amount": format_brl(charge.cents)}))
    for each in billed:
        found += _other_terms(contract, each)
    return found


def _other_terms(contract: Contract, billed: BilledCharge) -> Iterator[Problem]:
    if billed.document not in (None, contract.customer.number):
        params: dict[str, str | int] = {"billed": billed.customer_name or "", "now": contract.customer_name}
        yield Problem("contract.billed_to_other", params=params)
    if billed.template_name is not None and folded_charge(billed.template_name) != folded_charge(
        contract.template_name
    ):
        params = {"billed": billed.template_name, "now": contract.template_name}
        yield Problem("contract.billed_by_template", params=params)
    if billed.emitter_cnpj != contract.emitter_cnpj:
        params = {
            "billed": Document("cnpj", billed.emitter_cnpj).formatted,
            "now": Document("cnpj", contract.emitter_cnpj).formatted,
        }
        yield Problem("contract.billed_by_other", params=params)


def unbilled_amounts(adjustments: Sequence[Adjustment]) -> list[Problem]:
    """Return a problem for each one-off amount of a month without a charge, unless they leave nothing to bill."""
    if sum(each.cents for each in adjustments) <= 0:
        return []
    return [
        Problem(
            "contract.adjustment_uncharged",
            params={
                "month": format_competence(each.competence),
                "amount": format_brl(each.cents),
                "reason": each.reason,
            },
        )
        for each in adjustments
    ]


def is_charge_unchanged(contract: Contract, charge: ContractCharge, cancelled: CancelledCharge) -> bool:
    """Return whether a cancelled invoice billed what the contract charges now: nobody has corrected the contract since.

    Without its content, which is in the file of a detached month, assume so.
    """
    if not cancelled.content:
        return True
    description = cancelled.content.get("description", "") if charge.description else ""
    then = (
        cancelled.emitter_cnpj,
        cancelled.content.get("taker_document"),
        folded_charge(cancelled.template_name or ""),
        cancelled.cents,
        folded_charge(description),
    )
    return then == (
        contract.emitter_cnpj,
        contract.customer.number,
        folded_charge(contract.template_name),
        charge.cents,
        folded_charge(charge.description),
    )
