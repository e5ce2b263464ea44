"""The months that are compared, and the customers whom a contract still charges."""

from datetime import date
from pathlib import Path

from domain.documents import Document
from tasks.approvals.changes import changes_of
from tasks.approvals.charged_months import charged_customers, months_to_compare
from tasks.stations.approve import waiting_batches
from tasks.stations.stage import stage_batch
from tests.tasks.contracts.sheets import CUSTOMERS, contract, customer
from tests.tasks.contracts.test_month import enter
from tests.tasks.earlier_months import bill_twice
from tests.tasks.rows import RIO, line, lines, taker, this_month
from tests.tasks.workshop import Workshop


def test_each_month_is_compared_with_the_two_before():
    assert months_to_compare({date(2027, 1, 1)}) == {date(2027, 1, 1), date(2026, 12, 1), date(2026, 11, 1)}


def test_a_customer_whom_a_contract_charges_is_not_missing(shop: Workshop, tmp_path: Path):
    known = taker(document=Document("cnpj", customer(1)), name=CUSTOMERS[0]["social_reason"])
    bill_twice(shop, 2, first=5, changes=[{"taker": known}])
    enter(shop, tmp_path, contract(1))
    (batch,) = shop.assembled(*lines(1, first=6))[1]
    shop.run(stage_batch, batch)
    with shop.context() as context:
        assert charged_customers(context, {this_month()}) == {(RIO, customer(1), this_month())}
        (waiting,) = waiting_batches(context)
        changes, takers = changes_of(context, [waiting])
    assert [(change.kind, change.taker_name) for change in changes] == [("missing", "Tomador 5 Ltda")]
    assert changes[0].taker_document in takers


def test_a_customer_of_a_refused_row_is_not_missing(shop: Workshop):
    bill_twice(shop, 3)
    # the second row's template does not exist: the row is refused, and its customer is in the file
    reading, (batch,) = shop.assembled(line(1), line(2, template_name="Nenhum"))
    assert shop.problems(reading)
    shop.run(stage_batch, batch)
    with shop.context() as context:
        (waiting,) = waiting_batches(context)
        changes, _ = changes_of(context, [waiting])
    assert [(change.kind, change.taker_name) for change in changes] == [("missing", "Tomador 3 Ltda")]
