"""The same charge with a small change: held, explained, and released by a key, a contract or a person."""

import pytest

from domain.states import InvoiceState
from tests.tasks.rows import line, lines, taker
from tests.tasks.workshop import Workshop


def held(shop: Workshop, *asked, **options) -> dict[int, list[str]]:
    return shop.problems(shop.assembled(*asked, **options)[0])


def test_other_dashes_and_stops_bill_nothing_again(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*(line(n, description=f"Contrato {n} - novembro") for n in range(1, 15)))
    again = [line(n, description=f"Contrato {n} – novembro.") for n in range(1, 15)]
    assert held(shop, *again) == {row: ["row.living"] for row in range(5, 19)}


@pytest.mark.parametrize(
    "change",
    [
        {"service_cents": 9},
        {"description": "Contrato um"},
        {"contract": "C-1", "service_cents": 8},
        {"reference": "77", "service_cents": 8},
    ],
    ids=str,
)
def test_a_changed_charge_of_another_file_is_held(each_shop: Workshop, change):
    shop = each_shop
    shop.assembled(*lines(2))
    reading, made = shop.assembled(line(1, **change))
    assert (shop.problems(reading), made) == ({5: ["row.similar_living"]}, [])
    (problem,) = shop.rows(reading)[0].problems
    assert problem.params == {"file": "mes-1.xlsx", "row": 5, "serie": "F", "number": 1}


@pytest.mark.parametrize(
    "change",
    [{"own_key": "A-1"}, {"template_name": "Suporte Mensal"}, {"taker": taker(7)}],
    ids=lambda change: next(iter(change)),
)
def test_a_difference_of_charges_releases_a_row(shop: Workshop, change):
    shop.assembled(line(1))
    assert held(shop, line(1, service_cents=9, **change)) == {}


def test_the_same_charge_under_another_template_is_held(each_shop: Workshop):
    shop = each_shop
    shop.assembled(line(1, description="Curso de outubro"))
    other = {"template_name": "Suporte Mensal"}
    asked = [
        line(1, description="Curso  de Outubro.", **other),
        line(1, description="Curso de novembro", **other),
        line(1, description="Curso de outubro", service_cents=9, **other),
        line(2, description="Curso de outubro", **other),
    ]
    assert held(shop, *asked) == {5: ["row.equal_under_other_template"]}
    assert held(shop, line(1, description="Curso de outubro", own_key="A-1", template_name="Treinamento")) == {}


def test_another_contract_makes_a_similar_charge_another_one(each_shop: Workshop):
    shop = each_shop
    shop.assembled(line(1, contract="C-1"))
    asked = [line(1, contract=contract, service_cents=cents) for cents, contract in enumerate(["c 1", None, "C-2"], 1)]
    assert held(shop, *asked) == {5: ["row.similar_living"], 6: ["row.similar_living"]}


@pytest.mark.parametrize(("first", "second"), [("C-1", None), (None, "C-1")])
def test_a_charge_that_loses_or_gets_a_contract_is_held(shop: Workshop, first, second):
    shop.assembled(line(1, contract=first))
    others = [line(number) for number in (7, 8)]
    assert held(shop, line(1, contract=second), *others) == {5: ["row.similar_living"]}
    shop.assembled(line(2, contract=first))
    assert held(shop, line(2, contract=second)) == {5: ["row.file_question"]}


def test_rows_that_differ_in_the_contract_alone_are_two_charges(each_shop: Workshop):
    shop = each_shop
    assert held(shop, line(2, contract="C-1"), line(2, contract="C-2")) == {}
    assert held(shop, line(2, contract="c/1"), line(2, contract="C-3")) == {5: ["row.living"]}
    # A merely printed number is no contract number: an export may number its rows anew.
    assert held(shop, line(3, reference="77"), line(3, reference="78")) == {6: ["row.repeated"]}


def test_a_person_may_allow_a_similar_charge(shop: Workshop):
    shop.assembled(line(1))
    assert held(shop, line(1, service_cents=9), allow_repeats=True) == {}


def test_rows_of_one_file_hold_up_none_of_each_other(shop: Workshop):
    asked = [line(1), line(1, service_cents=9)]
    file = shop.file(77)
    assert held(shop, *asked, file_id=file) == {}
    assert held(shop, line(1, service_cents=11), file_id=file, first_row=20) == {}


def test_a_dead_invoice_holds_up_nothing(shop: Workshop):
    _, (batch,) = shop.assembled(line(1))
    shop.tamper("UPDATE invoices SET state = 'retired', is_living = false")
    assert shop.states(batch) == [InvoiceState.RETIRED]
    assert held(shop, line(1, service_cents=9)) == {}
