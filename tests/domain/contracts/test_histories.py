"""Contracts of one customer, and whose invoices cover the days of a charge."""

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, date, datetime

from domain.contracts.billed_periods import BilledPeriod, Version
from domain.contracts.histories import ContractHistory, Pasts
from domain.contracts.services import service_of
from tests.domain.contracts.test_contract import PLAIN

OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)
OTHER = replace(PLAIN, key="C 2", starts_on=OCTOBER, cadence_months=2)
CUSTOMER = PLAIN.customer.number


def past(customers: Collection[str], cadence: int = 1) -> ContractHistory:
    return ContractHistory(datetime(2026, 10, 5, tzinfo=UTC), frozenset(), frozenset(customers), cadence)


PASTS = Pasts.of({"c 1": past([CUSTOMER]), "c 2": past(["1", CUSTOMER], 2), "c 3": past(["1"])}, {})


def test_contracts_that_ever_had_the_customer_are_compared() -> None:
    assert PASTS.others_of(PLAIN) == ["c 2"]
    assert PASTS.months_of([(PLAIN, NOVEMBER)]) == {"c 2": {OCTOBER, NOVEMBER, date(2026, 12, 1)}}
    assert Pasts.of({}, {}).months_of([(PLAIN, NOVEMBER)]) == {}


def test_an_invoice_of_another_contract_covers_its_own_service() -> None:
    bimonthly = BilledPeriod.of([Version(1, OTHER)], OCTOBER, 1, service_of(PLAIN, {}))
    billed = {"c 2": [bimonthly]}
    found = PASTS.covering(PLAIN, NOVEMBER, billed)
    assert found is not None
    assert (found.key, found.last_on) == ("C 2", date(2026, 11, 30))
    assert PASTS.covering(replace(PLAIN, template_name="Suporte"), NOVEMBER, billed) is None
    assert PASTS.covering(replace(PLAIN, starts_on=date(2026, 12, 1)), date(2026, 12, 1), billed) is None
