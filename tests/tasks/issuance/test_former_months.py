"""A corrected row that a person moves to another month is compared with the invoices of the month in which it was."""

from pathlib import Path

import pytest

from domain.competence import format_competence
from domain.states import RowState
from tasks.preview.dry_run import forecast_file
from tasks.stations.reading_options import ReadingOptions
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.closing.test_close import closed
from tests.tasks.corrections.rounds import (
    BAD,
    FIRST,
    at,
    bill,
    edited,
    issue,
    problems_of,
    put,
    returned,
    write_month,
)
from tests.tasks.corrections.test_lineage import SALE
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.rows import this_month
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop

BEFORE, NOW = format_competence(LAST_MONTH), format_competence(this_month())
KEYED = [*HEADERS, "Chave Única"]


def billed(shop: Workshop, folder: Path, *keys: str) -> None:
    """Bill two rows of last month, with these keys of their own."""
    rows = [[*cells(number, Competência=BEFORE), key] for number, key in zip((1, 2), keys or ("", ""), strict=True)]
    assert problems_of(bill(shop, write_month(folder / "mes.xlsx", rows, headers=KEYED))) == {}


def refused(shop: Workshop, folder: Path, *rows: list[str]) -> Path:
    """Drop a copy of which these rows are refused. Return their correction workbook."""
    copy = write_month(folder / "copia.xlsx", [[*cells(2, Competência=BEFORE), ""], *rows], headers=KEYED)
    assert problems_of(bill(shop, copy))[FIRST + 1] == ["amount.unreadable"]
    return returned(shop, copy)


def moved(path: Path, amount: str, month: str = NOW) -> Path:
    def edit(page):
        put("Valor", amount)(page)
        put("Competência", month)(page)

    return edited(path, path.with_name("movida.xlsx"), edit)


@pytest.mark.parametrize(
    ("key", "amount", "code"),
    [
        ("", "100,01", "row.living"),
        ("", "55,00", "row.similar_in_former_month"),
        ("A-1", "55,00", "row.living"),
    ],
)
def test_a_row_that_moves_to_another_month_is_the_same_charge(
    each_shop: Workshop, tmp_path: Path, key: str, amount: str, code: str
):
    shop = each_shop
    billed(shop, tmp_path, *([key, ""] if key else []))
    path = moved(refused(shop, tmp_path, [*cells(1, Competência=BEFORE, **BAD), key]), amount)
    seen = shop.run(forecast_file, path, ReadingOptions(operator="Ana"))
    assert [each.problem.code for each in seen.reasons] == [code]
    (row,) = bill(shop, path)
    assert [problem.code for problem in row.problems] == [code]
    if code == "row.similar_in_former_month":
        expected = {"file": "mes.xlsx", "row": FIRST, "serie": "F", "number": 1, "month": BEFORE}
        assert row.problems[0].params == expected
    assert len(shop.batches()) == 1


def test_a_row_moves_twice_and_is_still_the_same_charge(shop: Workshop, tmp_path: Path):
    billed(shop, tmp_path)
    path = moved(refused(shop, tmp_path, [*cells(1, Competência=BEFORE, **BAD), ""]), "pouco")
    assert problems_of(bill(shop, path)) == {FIRST: ["amount.unreadable"]}
    again = edited(returned(shop, path), tmp_path / "de novo.xlsx", put("Valor", "55,00"))
    assert problems_of(bill(shop, again)) == {FIRST: ["row.similar_in_former_month"]}


@pytest.mark.parametrize(
    ("number", "key"), [(3, ""), (1, "B-7")], ids=["a customer without an invoice", "a key of its own"]
)
def test_another_charge_moves_to_another_month(shop: Workshop, tmp_path: Path, number: int, key: str):
    billed(shop, tmp_path)
    path = refused(shop, tmp_path, [*cells(number, Competência=BEFORE, **BAD), key])
    (row,) = bill(shop, moved(path, "100,01"))
    assert (row.problems, row.state) == ([], RowState.ASSEMBLED)


def test_a_row_that_keeps_its_month_is_billed(shop: Workshop, tmp_path: Path):
    billed(shop, tmp_path)
    path = refused(shop, tmp_path, [*cells(3, Competência=BEFORE, **BAD), ""])
    assert problems_of(bill(shop, moved(path, "100,01", BEFORE))) == {}


@pytest.mark.both_databases
def test_a_closed_months_advice_bills_what_has_no_invoice(each_shop: Workshop, tmp_path: Path):
    """The rows of a copy that have an invoice say so; the one without is billed in another month, and it alone."""
    shop = each_shop
    rows = [cells(number, Competência=BEFORE) for number in (1, 2, 3)]
    bill(shop, write_month(tmp_path / "mes.xlsx", rows[:2]))
    issue(shop)
    closed(shop)
    copy = write_month(tmp_path / "copia.xlsx", rows[::-1])
    living = {FIRST + 1: ["row.living"], FIRST + 2: ["row.living"]}
    seen = shop.run(forecast_file, copy, ReadingOptions(operator="Ana"))
    assert sorted(each.problem.code for each in seen.reasons) == ["closing.closed", "row.living"]
    assert problems_of(bill(shop, copy)) == {FIRST: ["closing.closed"]} | living
    path = edited(returned(shop, copy), tmp_path / "corrigida.xlsx", put("Competência", NOW))
    assert problems_of(bill(shop, path)) == {}
    assert [batch.count for batch in shop.batches()] == [2, 1]


def test_an_order_that_moves_to_another_month_is_the_same_sale(each_store: Store, tmp_path: Path):
    store = each_store

    def sheet(name: str, *changes: dict[str, str]) -> Path:
        rows = [list({**SALE, "Data da Venda": BEFORE, **each}.values()) for each in changes]
        return write_month(tmp_path / name, rows, headers=list(SALE), has_city=True)

    assert problems_of(bill(store, sheet("v.xlsx", {}), kind="products")) == {}
    copy = sheet("copia.xlsx", {"NCM": "x"}, {"Pedido": "2", "NCM": "x"})
    bill(store, copy, kind="products")

    def edit(page):
        for row in (FIRST, FIRST + 1):
            at(page, row, "NCM").value, at(page, row, "Data da Venda").value = "69120000", NOW

    path = edited(returned(store, copy, kind="products"), tmp_path / "movida.xlsx", edit)
    assert problems_of(bill(store, path, kind="products")) == {FIRST: ["row.living"]}
