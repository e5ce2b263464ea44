"""A workbook of sales that comes back with other dates or order numbers is asked about before anything is staged."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.sample import write_sample_sales
from domain.problems import FaturistaError
from domain.staff import Actor
from tasks.inbox.question import answer_question
from tasks.preview.dry_run import forecast_file
from tasks.stations.assemble import assemble_rows
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.corrections.rounds import bill, edited, problems_of, returned
from tests.tasks.rows import company, this_month
from tests.tasks.store import Store

ORDERS = 15
QUESTION = "product.file_question"


@pytest.fixture
def sold(store: Store, tmp_path: Path) -> Path:
    """Bill the sample workbook of this month."""
    path = tmp_path / "vendas.xlsx"
    write_sample_sales(path, this_month())
    bill(store, path, kind="products")
    assert notes(store) == ORDERS
    return path


def notes(store: Store) -> int:
    return sum(len(store.notes(batch.id)) for batch in store.batches())


def changed(path: Path, header: str, change: Callable[[object], datetime | str]) -> Path:
    """Return a copy of the workbook in which every value below that header is changed."""

    def edit(page: Worksheet) -> None:
        named = next(cell for row in page.iter_rows() for cell in row if cell.value == header)
        for (cell,) in page.iter_rows(min_row=named.row + 1, min_col=named.column, max_col=named.column):
            if cell.value is not None:
                cell.value = change(cell.value)

    return edited(path, path.with_name("outra.xlsx"), edit)


def moved(path: Path) -> Path:
    def move(day: object) -> datetime:
        assert isinstance(day, datetime)
        return day.replace(year=LAST_MONTH.year, month=LAST_MONTH.month, day=min(day.day, 28))

    return changed(path, "Data da Venda", move)


def renumbered(path: Path) -> Path:
    return changed(path, "Pedido", lambda key: f"{str(key).removeprefix('V-')[::-1]}/W")


def answer(store: Store, path: Path, given: Literal["additional", "correction"]) -> set[tuple[str, ...]]:
    with store.context() as context:
        reading = answer_question(context, path, given, actor=Actor("Bia"), because="I asked the seller").reading
    for station in (resolve_rows, assemble_rows):
        store.run(station, reading)
    return {tuple(codes) for codes in store.problems(reading).values()}


@pytest.mark.parametrize("change", [moved, renumbered], ids=["moved", "renumbered"])
def test_a_workbook_with_other_dates_or_numbers_is_asked_about(
    store: Store, sold: Path, change: Callable[[Path], Path]
):
    path = change(sold)
    seen = store.run(forecast_file, path, ReadingOptions(operator="Ana"))
    assert (len(seen.notes), {each.problem.code for each in seen.reasons}) == (0, {QUESTION})
    rows = bill(store, path, kind="products")
    assert {tuple(row) for row in problems_of(rows).values()} == {(QUESTION,)}
    assert len(problems_of(rows)) == len(rows)
    params = rows[0].problems[0].params
    assert (params["file"], params["equal"], params["count"]) == ("vendas.xlsx", ORDERS, ORDERS)
    assert notes(store) == ORDERS


@pytest.mark.parametrize("zeros", ["0{}", "{}.0"])
def test_a_workbook_whose_order_numbers_were_respelled_bills_nothing(store: Store, sold: Path, zeros: str):
    path = changed(sold, "Pedido", zeros.format)
    assert {code for codes in problems_of(bill(store, path, kind="products")).values() for code in codes} == {QUESTION}
    assert notes(store) == ORDERS


def test_additional_sales_are_billed_after_the_answer(store: Store, sold: Path):
    path = renumbered(sold)
    bill(store, path, kind="products")
    assert answer(store, path, "additional") == set()
    assert notes(store) == 2 * ORDERS


def test_the_same_sales_stay_as_they_are_after_the_answer(store: Store, sold: Path):
    path = moved(sold)
    bill(store, path, kind="products")
    assert answer(store, path, "correction") == {("product.same_sales",)}
    assert notes(store) == ORDERS
    with pytest.raises(FaturistaError) as raised:
        answer(store, path, "additional")
    assert raised.value.problem.code == "file.no_question"


def test_the_correction_workbook_of_a_questioned_file_is_no_answer(store: Store, sold: Path):
    path = renumbered(sold)
    bill(store, path, kind="products")
    back = changed(returned(store, path, kind="products"), "Pedido", lambda key: f"{key}-B")
    assert {tuple(codes) for codes in problems_of(bill(store, back, kind="products")).values()} == {(QUESTION,)}
    assert notes(store) == ORDERS


def edit_order(path: Path, name: str, order: str, **values: Any) -> Path:
    """Return a copy of the workbook with these values, by header, in every row of an order. None empties a cell."""

    def edit(page: Worksheet) -> None:
        places = {cell.value: place for row in page.iter_rows(max_row=8) for place, cell in enumerate(row)}
        for row in page.iter_rows(min_row=2):
            if row[places["Pedido"]].value == order:
                for header, value in values.items():
                    row[places[header.replace("_", " ")]].value = value

    return edited(path, path.with_name(name), edit)


@pytest.mark.parametrize("is_original_first", [False, True], ids=["", "original first"])
@pytest.mark.parametrize("is_original_other", [False, True], ids=["", "original changed"])
@pytest.mark.parametrize(
    "change",
    [{"Quantidade": 9, "Valor_Total": None}, {"CPF/CNPJ": company(30).number}],
    ids=["total", "customer"],
)
def test_a_refused_order_corrected_in_both_files_bills_once(
    store: Store, tmp_path: Path, change: dict[str, Any], *, is_original_other: bool, is_original_first: bool
):
    """The number and more was changed in one of the two files."""
    write_sample_sales(tmp_path / "sales.xlsx", this_month())
    month = edit_order(tmp_path / "sales.xlsx", "month.xlsx", "V-3001", NCM="muito")
    bill(store, month, kind="products")
    mends: list[dict[str, Any]] = [{"NCM": "69120000"}, {"NCM": "69120000", "Pedido": "N-77", **change}]
    files = [
        edit_order(path, name, "V-3001", **values)
        for path, name, values in zip(
            (returned(store, month, kind="products"), month),
            ("corrections.xlsx", "original.xlsx"),
            mends if is_original_other else mends[::-1],
            strict=True,
        )
    ]
    first, second = files[::-1] if is_original_first else files
    codes = [problems_of(bill(store, path, kind="products")).values() for path in (first, second)]
    assert [["product.similar_corrected"] in found for found in codes] == [False, True]
    assert notes(store) == ORDERS
