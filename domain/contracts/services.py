"""What a contract bills, whatever its key: two contracts for one service at once would charge the customer twice."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, TypeAlias

from domain.contracts.contract import Contract
from domain.contracts.schedule import period_of
from domain.problems import Problem
from domain.texts import folded_charge

Families: TypeAlias = Mapping[tuple[str, str], int]
"""The family of each template name of a company, by CNPJ and folded name: a renamed template is still the same one."""


class Service(NamedTuple):
    """Company, customer and template. `template` is its family, or its folded name if none has that name."""

    emitter_cnpj: str
    document: str | None
    template: int | str


def named_service(emitter_cnpj: str, document: str | None, template_name: str, families: Families) -> Service:
    """Return the service of an invoice or a contract."""
    name = folded_charge(template_name)
    return Service(emitter_cnpj, document, families.get((emitter_cnpj, name), name))


def service_of(contract: Contract, families: Families) -> Service:
    return named_service(contract.emitter_cnpj, contract.customer.number, contract.template_name, families)


def overlaps(contracts: Iterable[Contract], families: Families) -> dict[str, str]:
    """Map the key of each contract that bills a service twice to the key of an earlier contract for the same service.

    Two contracts overlap when their services are equal and their days intersect: the customer would pay twice. To have
    two such contracts on purpose, give them different templates.
    """
    found: dict[str, str] = {}
    groups: dict[Service, list[Contract]] = {}
    for contract in sorted(contracts, key=_order):
        group = groups.setdefault(service_of(contract, families), [])
        earlier = next((each for each in group if each.ends_on is None or each.ends_on >= contract.starts_on), None)
        if earlier is not None:
            found[contract.key] = earlier.key
        group.append(contract)
    return found


def earlier_at_once(
    contract: Contract, competence: date, others: Sequence[Contract], families: Families
) -> Contract | None:
    """Return an earlier contract for the same service that runs in the days of this month's charge, or None."""
    days, service = period_of(contract, competence), service_of(contract, families)
    return next(
        (
            each
            for each in others
            if _order(each) < _order(contract)
            and each.starts_on <= days.last_on
            and (each.ends_on is None or each.ends_on >= days.first_on)
            and service_of(each, families) == service
        ),
        None,
    )


def overlap_problem(other: str) -> Problem:
    """Return the problem of a contract that bills the same service in the same time as the contract `other`."""
    return Problem("contract.overlap", "contract_key", params={"other": other})


def _order(contract: Contract) -> tuple[date, str]:
    return contract.starts_on, contract.key
