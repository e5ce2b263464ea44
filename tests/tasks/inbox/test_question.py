"""A clerk corrects the original instead of the correction workbook: a question comes before any staging."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from openpyxl.worksheet.worksheet import Worksheet

from domain.competence import add_months, month_text
from domain.problems import FaturistaError
from domain.staff import Actor
from tasks.inbox import question
from tasks.inbox.question import answer_question
from tasks.preview.dry_run import forecast_file
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.reading_options import ReadingOptions, options_of
from tasks.stations.resolve import resolve_rows
from tests.ageing import age
from tests.tasks.corrections.rounds import BAD, FIRST, bill, edited, problems_of, put, returned, write_month
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.rows import company, this_month
from tests.tasks.workshop import Workshop

Answer = Literal["additional", "correction"]
Edits: TypeAlias = dict[str, str]


@pytest.fixture
def month(tmp_path: Path) -> Path:
    """Write eight good rows and a bad one, the last."""
    return write_month(tmp_path / "mes.xlsx", [*(cells(n) for n in range(1, 9)), cells(9, **BAD)])


def answer(shop: Workshop, path: Path, given: Answer) -> dict[int, list[str]]:
    """Give a person's answer about the file. Return the problems of its newest reading."""
    with shop.context() as context:
        reading = answer_question(context, path, given, actor=Actor("Bia"), because="the customer asked").reading
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    return problems_of(shop.rows(reading))


def bills(shop: Workshop) -> int:
    return sum(len(shop.notes(batch.id)) for batch in shop.batches())


def mended(month: Path, tmp_path: Path) -> Path:
    """Return the original with its bad row corrected and the customer and amount of a billed one changed."""

    def edit(page):
        put("Valor", "900,00", FIRST + 8)(page)
        put("Valor", "55,00", FIRST)(page)
        put("CNPJ/CPF", cells(30)[1], FIRST)(page)

    return edited(month, tmp_path / "mes mendado.xlsx", edit)


QUESTIONED = {FIRST: ["row.file_question"], FIRST + 8: ["row.file_question"]}
REPEATED = {FIRST + place: ["row.living"] for place in range(1, 8)}


def test_a_mended_original_waits_for_a_person(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    again = mended(month, tmp_path)
    rows = bill(shop, again)
    assert problems_of(rows) == QUESTIONED | REPEATED
    (problem,) = rows[0].problems
    found = {name: problem.params[name] for name in ("file", "equal", "count", "missing")}
    assert found == {"file": "mes.xlsx", "equal": 7, "count": 9, "missing": 1}
    assert bills(shop) == 8
    # To drop the same bytes again is no answer.
    assert problems_of(bill(shop, again)) == QUESTIONED | REPEATED
    assert bills(shop) == 8


def test_additional_charges_are_billed_and_the_equal_ones_not(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    bill(shop, mended(month, tmp_path))
    assert answer(shop, tmp_path / "mes mendado.xlsx", "additional") == REPEATED
    assert bills(shop) == 10


def test_corrections_bill_nothing_while_the_invoice_stands(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    bill(shop, mended(month, tmp_path))
    found = {row: ["row.corrects_billed"] for row in QUESTIONED}
    assert answer(shop, tmp_path / "mes mendado.xlsx", "correction") == found | REPEATED
    assert bills(shop) == 8


def test_an_original_mended_where_it_was_refused_is_billed_once(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    corrections = edited(returned(shop, month), tmp_path / "corrections.xlsx", put("Valor", "901,00"))
    rows = bill(shop, edited(month, tmp_path / "original.xlsx", put("Valor", "900,00", FIRST + 8)))
    assert problems_of(rows) == REPEATED | {FIRST: ["row.living"]}
    assert bills(shop) == 9
    # The correction workbook of the same row, filled in differently, is no second charge.
    assert problems_of(bill(shop, corrections)) == {FIRST: ["row.similar_corrected"]}
    assert bills(shop) == 9


def test_the_second_of_two_answers_at_once_is_refused(each_shop: Workshop, month: Path, tmp_path: Path):
    shop, again = each_shop, mended(month, tmp_path)
    bill(shop, month)
    bill(shop, again)

    def answer_meanwhile(raw):
        patch.undo()
        assert answer(shop, again, "additional") == REPEATED
        return options_of(raw)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(question, "options_of", answer_meanwhile)
        with pytest.raises(FaturistaError) as raised:
            answer(shop, again, "correction")
    assert raised.value.problem.code == "file.no_question"
    assert bills(shop) == 10


def test_another_charge_of_a_billed_customer_may_be_added(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    longer = write_month(tmp_path / "longer.xlsx", [*(cells(n) for n in range(1, 9)), cells(1, Valor="5,00")])
    assert problems_of(bill(shop, longer)) == REPEATED | {FIRST: ["row.living"]}
    assert bills(shop) == 9


def test_rows_added_to_a_sheet_are_billed_without_a_question(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    longer = write_month(tmp_path / "longer.xlsx", [cells(n) for n in range(1, 12)])
    assert problems_of(bill(shop, longer)) == REPEATED | {FIRST: ["row.living"]}
    assert bills(shop) == 11


def test_a_questioned_files_correction_workbook_is_no_answer(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    again = mended(month, tmp_path)
    bill(shop, again)
    path = edited(returned(shop, again), tmp_path / "returned.xlsx", put("Valor", "77,00"))
    assert set(map(tuple, problems_of(bill(shop, path)).values())) == {("row.file_question",)}
    assert bills(shop) == 8


def test_the_preview_asks_the_same_question(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    again = mended(month, tmp_path)
    seen = shop.run(forecast_file, again, ReadingOptions(operator="Ana"))
    assert {each.problem.code for each in seen.reasons} == {"row.living", "row.file_question"}


def test_a_file_that_nobody_asked_about_takes_no_answer(shop: Workshop, month: Path):
    bill(shop, month)
    with shop.context() as context:
        archive_file(context, month)
        with pytest.raises(FaturistaError) as raised:
            answer_question(context, month, "additional", actor=Actor("Bia"), because="x")
    assert raised.value.problem.code == "file.no_question"


def test_the_preview_holds_a_similar_row_of_any_place(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    path = write_month(tmp_path / "changed.xlsx", [cells(1, Valor="5,00"), cells(2, Valor="6,00")])
    seen = shop.run(forecast_file, path, ReadingOptions(operator="Ana"))
    assert [(each.problem.code, each.rows) for each in seen.reasons] == [("row.similar_living", (FIRST, FIRST + 1))]


LAST_MONTH = month_text(add_months(this_month(), -1))
PROOFS = ["Número do Contrato", "Chave Única"]


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.parametrize(("kept", "row"), [("C-2", 9), ("C-0", 10)], ids=["same place", "same number elsewhere"])
@pytest.mark.parametrize("is_original_first", [False, True], ids=["", "original first"])
def test_a_refused_row_corrected_in_both_files_bills_once(
    shop: Workshop, tmp_path: Path, proof: str, kept: str, row: int, *, is_original_first: bool
):
    """Every value that tells charges apart was changed, in the correction workbook and by hand in the original."""
    headers = [*HEADERS, proof]
    rows = [[*cells(n), f"K-{n}"] for n in range(1, 9)]
    month = write_month(tmp_path / "mes.xlsx", [*rows, [*cells(9, **BAD), "C-0"]], headers=headers)
    bill(shop, month)

    def edit(page):
        for header, value in (("Valor", "901,00"), ("Discriminação", "Outro texto"), (proof, "C-1")):
            put(header, value)(page)

    corrections = edited(returned(shop, month), tmp_path / "corrections.xlsx", edit)
    again = [*rows, *([[*cells(20), "K-20"]] * (row - 9)), [*cells(9, Valor="900,00"), kept]]
    original = write_month(tmp_path / "original.xlsx", again, headers=headers)
    places = [(corrections, FIRST), (original, FIRST + row - 1)]
    (first, place), (second, second_place) = places[::-1] if is_original_first else places
    assert place not in problems_of(bill(shop, first))
    assert problems_of(bill(shop, second))[second_place] == ["row.similar_corrected"]
    assert bills(shop) == row


def put_all(values: Edits, row: int) -> Callable[[Worksheet], None]:
    def edit(page: Worksheet) -> None:
        for header, value in values.items():
            put(header, value, row)(page)

    return edit


@pytest.mark.parametrize("is_original_first", [False, True], ids=["", "original first"])
@pytest.mark.parametrize(
    ("bad", "one", "other"),
    [
        ({"CNPJ/CPF": "1.1"}, {"CNPJ/CPF": company(30).number}, {"CNPJ/CPF": company(31).number}),
        ({"Modelo": "?"}, {"Modelo": "Mensalidade Sistema", "Valor": "5,00"}, {"Modelo": "Consultoria"}),
        (
            {"Competência": "out/nov"},
            {"Competência": month_text(this_month())},
            {"Competência": month_text(add_months(this_month(), -1))},
        ),
    ],
    ids=["customer", "template and amount", "month"],
)
def test_a_fault_that_two_files_settle_differently_bills_once(
    shop: Workshop, tmp_path: Path, bad: Edits, one: Edits, other: Edits, *, is_original_first: bool
):
    month = write_month(tmp_path / "mes.xlsx", [*(cells(n) for n in range(1, 9)), cells(9, **bad)])
    bill(shop, month)
    files = [
        edited(path, tmp_path / name, put_all(values, row))
        for path, name, row, values in (
            (returned(shop, month), "corrections.xlsx", FIRST, one),
            (month, "original.xlsx", FIRST + 8, other),
        )
    ]
    first, second = files[::-1] if is_original_first else files
    assert ["row.similar_corrected"] not in problems_of(bill(shop, first)).values()
    seen = shop.run(forecast_file, second, ReadingOptions(operator="Ana"))
    assert "row.similar_corrected" in {each.problem.code for each in seen.reasons}
    assert ["row.similar_corrected"] in problems_of(bill(shop, second)).values()
    assert bills(shop) == 9


@pytest.mark.parametrize(("count", "days"), [(9, 0), (1, 0), (1, 21)], ids=["month", "one row", "next month's"])
def test_two_copies_that_settle_a_month_differently_bill_once(shop: Workshop, tmp_path: Path, count: int, days: int):
    rows = [*(cells(n) for n in range(1, count)), cells(9, Competência="out/nov")]
    month = write_month(tmp_path / "mes.xlsx", rows)
    bill(shop, month)
    one, other = (
        edited(month, tmp_path / f"{back}.xlsx", put("Competência", month_text(add_months(this_month(), -back)), last))
        for last in (FIRST + count - 1,)
        for back in (0, 1)
    )
    assert FIRST + count - 1 not in problems_of(bill(shop, one))
    shop.write(age, days * 86_400)
    held = problems_of(bill(shop, other)).get(FIRST + count - 1)
    # a sheet that says no month repeats the same customers after some weeks
    assert held == (None if days else ["row.similar_corrected"])
    assert bills(shop) == count + bool(days)
