"""Answers have names in the person's language, and are recognised by them in every language."""

from pathlib import Path

import openpyxl
import pytest

from domain.problems import InputError
from tasks.corrections.workbook import latest_corrections
from tasks.stations.intake import archive_file
from tasks.stations.read import open_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.report import report_outcome
from tests.tasks.corrections.rounds import BAD, HEADER_ROW, back, bill, edited, put, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.workshop import Workshop


def outcome(shop: Workshop, month: Path) -> Path:
    with shop.context() as context:
        return report_outcome(context, archive_file(context, month))


def end_of(path: Path) -> str:
    return path.name.removeprefix("mes-")[9:]


@pytest.mark.parametrize(
    ("language", "ends"), [("pt_BR", ("resultado.xlsx", "corrigir.xlsx")), ("en", ("result.xlsx", "to-correct.xlsx"))]
)
def test_the_ends_of_names_are_in_the_language(shop: Workshop, tmp_path: Path, language: str, ends: tuple[str, str]):
    shop.set(LANGUAGE=language)
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    assert (end_of(outcome(shop, month)), end_of(returned(shop, month))) == ends


def test_another_language_leaves_no_outdated_answer(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    before = [outcome(shop, month), returned(shop, month)]
    shop.set(LANGUAGE="pt_BR")
    with shop.context() as context:
        known = latest_corrections(context, archive_file(context, month))
    assert known is not None
    assert known.path == before[1]
    now = [outcome(shop, month), returned(shop, month)]
    assert all(path.exists() for path in now)
    assert not any(path.exists() for path in before)


def test_a_persons_change_stays_in_any_language(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    mine = returned(shop, month)
    edited(mine, mine, put("Valor", "200,00"))
    shop.set(LANGUAGE="pt_BR")
    assert returned(shop, month) != mine
    bill(shop, mine)
    assert back(shop, month) is None
    assert mine.exists()


@pytest.mark.parametrize(
    "suffix", ["corrigir", "to-correct", "corrigir-2", "corrigir (1)", "Corrigir - Cópia", "to-correct - Copy (2)"]
)
def test_the_name_does_not_grow_with_rounds_in_any_language(shop: Workshop, tmp_path: Path, suffix: str):
    month = write_month(tmp_path / f"mes-0123abcd-{suffix}.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    path = returned(shop, month)
    assert (path.name[:4], end_of(path)) == ("mes-", "to-correct.xlsx")
    assert outcome(shop, month).name.startswith(month.stem)


@pytest.mark.parametrize("language", ["pt_BR", "en"])
def test_an_outcome_that_comes_back_is_no_sheet_to_bill(shop: Workshop, tmp_path: Path, language: str):
    shop.set(LANGUAGE=language)
    month = write_month(tmp_path / "mes.xlsx", [cells(1)])
    bill(shop, month)
    answer = outcome(shop, month)
    shop.set(LANGUAGE="en")
    with shop.context() as context, pytest.raises(InputError) as refused:
        open_file(context, answer, ReadingOptions(operator="Ana"))
    assert refused.value.problem.code == "file.our_outcome"


def test_a_workbook_in_another_language_is_updated_in_it(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)], has_city=True)
    bill(shop, month)
    first = edited(returned(shop, month), tmp_path / "again.xlsx", put("Valor", "nada"))
    shop.set(LANGUAGE="pt_BR")
    bill(shop, first)
    book = openpyxl.load_workbook(returned(shop, first))
    headers = [cell.value for cell in book.worksheets[0][HEADER_ROW]]
    assert headers[-2:] == ["Linha devolvida", "O que corrigir"]
    assert not {"Returned row", "What to correct"} & set(headers)
    assert [page.title for page in book.worksheets[1:]] == ["Listas", "Ajuda - correções"]
