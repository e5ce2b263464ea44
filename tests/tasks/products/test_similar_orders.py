"""A sale that comes back under another month or spelling is held, explained, and released by a number or a person."""

from dataclasses import replace
from decimal import Decimal

import pytest

from domain.competence import format_competence
from domain.documents import Document
from domain.parties import TakerData
from domain.products.lines import ProductLine
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.rows import this_month
from tests.tasks.store import FIRST_ROW, NFE_SERIE, SAO_PAULO_SHOP, Store, sale, sales

HELD = {FIRST_ROW: ["product.similar_living"]}
OTHER_PERSON = replace(PERSON, document=Document("cpf", "99000000300"))


def problems(store: Store, *asked: ProductLine, **options: object) -> dict[int, list[str]]:
    return store.problems(store.sold(*asked, **options)[0])


def numbered(*keys: str, **changes: object) -> list[ProductLine]:
    """Return an order of each key. The orders differ in their prices alone, in this sequence."""
    return [sale(key, unit_price=Decimal(20 + place), **changes) for place, key in enumerate(keys)]


@pytest.mark.parametrize(
    "change",
    [
        {"order_key": "0001"},
        {"order_key": "Pedido 1"},
        {"order_key": "Nº 1"},
        {"order_key": "1.0"},
        {"order_key": "#001", "unit_price": Decimal(77)},
        {"competence": LAST_MONTH},
        {"competence": LAST_MONTH, "kind": "nfce"},
        {"competence": LAST_MONTH, "order_key": "pedido nº 01"},
    ],
    ids=lambda change: " ".join(map(str, change.values())),
)
def test_an_order_that_was_respelled_or_moved_is_held_on_every_row(each_store: Store, change):
    store = each_store
    store.sold(sale("1"), sale("1"))
    reading, batches = store.sold(*[sale(**({"order": change.get("order_key", "1")} | change))] * 2)
    assert (batches, store.problems(reading)) == ([], HELD | {FIRST_ROW + 1: ["product.similar_living"]})
    (problem,) = store.rows(reading)[1].problems
    assert (problem.where.row, problem.params) == (
        FIRST_ROW + 1,
        {
            "order": "1",
            "month": format_competence(this_month()),
            "file": "vendas-1.xlsx",
            "row": FIRST_ROW,
            "serie": NFE_SERIE,
            "number": 1,
        },
    )


def test_a_respelled_order_of_an_unnamed_customer_is_held(each_store: Store):
    store = each_store
    unnamed = {"kind": "nfce", "taker": TakerData()}
    store.sold(sale("1", **unnamed))
    assert problems(store, sale("0001", **unnamed)) == HELD
    assert problems(store, sale("0001", kind="nfce")) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"order": "2"},
        {"order": "1-A"},
        {"order": "2026-1"},
        {"order": "0001", "taker": OTHER_PERSON},
        {"order": "1", "competence": LAST_MONTH, "unit_price": Decimal(11)},
        {"order": "0001", "emitter_cnpj": SAO_PAULO_SHOP, "taker": COMPANY},
    ],
    ids=lambda change: " ".join(map(str, change.values()))[:40],
)
def test_another_number_customer_total_or_shop_makes_another_sale(each_store: Store, change):
    store = each_store
    store.sold(sale("1"), sale("01", taker=COMPANY, cfop="6102"))
    assert problems(store, sale(**change)) == {}


def test_a_person_may_allow_a_similar_order(store: Store):
    store.sold(sale("1"))
    assert problems(store, sale("0001"), allow_repeats=True) == {}


def test_orders_of_one_file_hold_up_none_of_each_other(store: Store):
    file = store.file(77)
    assert problems(store, sale("1"), sale("01"), file_id=file) == {}
    assert problems(store, sale("1"), sale("01"), sale("001"), file_id=file).keys() == {FIRST_ROW, FIRST_ROW + 1}


def test_a_dead_invoice_holds_up_no_order(store: Store):
    store.sold(sale("1"))
    store.tamper("UPDATE invoices SET state = 'retired', is_living = false")
    assert problems(store, sale("0001")) == {}


def test_a_file_of_an_earlier_files_sales_waits_for_a_person(each_store: Store):
    store = each_store
    store.sold(*numbered("A-1", "A-2", "A-3", "A-4"))
    asked = [*numbered("B-1", "B-2", "B-3"), sale("B-9")]
    reading, batches = store.sold(*asked)
    assert (batches, store.problems(reading)) == ([], {row: ["product.file_question"] for row in range(5, 9)})
    params = store.rows(reading)[3].problems[0].params
    assert {name: params[name] for name in ("file", "equal", "count")} == {
        "file": "vendas-1.xlsx", "equal": 3, "count": 4,
    }  # fmt: skip
    assert problems(store, *asked, answer="correction") == {row: ["product.same_sales"] for row in range(5, 9)}
    assert problems(store, *asked, answer="additional") == {}


def test_a_file_whose_dates_were_moved_waits_for_a_person(store: Store):
    store.sold(*numbered("1", "2", "3"))
    assert problems(store, *numbered("1", "2", "3", competence=LAST_MONTH)) == {
        row: ["product.file_question"] for row in (5, 6, 7)
    }


def test_a_moved_file_of_two_orders_is_held_by_its_orders(store: Store):
    store.sold(*numbered("1", "2"))
    assert problems(store, *numbered("1", "2", competence=LAST_MONTH)) == {
        row: ["product.similar_living"] for row in (5, 6)
    }


def test_customers_who_buy_the_same_again_are_billed(store: Store):
    store.sold(*numbered("1", "2", "3", "4"))
    # a few of them in this month
    assert problems(store, *numbered("5", "6")) == {}
    # less than most of a file
    assert problems(store, *numbered("7", "8", "9"), *sales(3, first=10)) == {}
    # the same orders of another month
    assert problems(store, *numbered("13", "14", "15", "16", competence=LAST_MONTH)) == {}


def test_one_customer_who_buys_one_thing_again_and_again_is_billed(store: Store):
    store.sold(*(sale(str(number)) for number in range(1, 5)))
    assert problems(store, *(sale(str(number)) for number in range(5, 9))) == {}


def test_a_sheet_that_grows_is_billed_without_a_question(store: Store):
    store.sold(*numbered("1", "2", "3", "4"))
    longer = [*numbered("1", "2", "3", "4"), *numbered("5", "6", "7", "8")]
    assert problems(store, *longer) == {row: ["row.living"] for row in range(5, 9)}


def test_the_same_orders_of_every_week_are_asked_about_once(store: Store):
    first, second, third = (numbered(*(f"{week}-{number}" for number in (1, 2, 3))) for week in "ABC")
    store.sold(*first)
    assert problems(store, *second) == {row: ["product.file_question"] for row in (5, 6, 7)}
    assert problems(store, *second, answer="additional") == {}
    assert problems(store, *third) == {}
