"""Rows are recognised after a real office program sorted them, changed them and saved them in its own way."""

from pathlib import Path

import openpyxl
import pytest

from domain.states import RowState
from tests.office import Office, needs_office, sort, type_texts
from tests.tasks.corrections.rounds import BAD, FIRST, HEADER_ROW, bill, returned, write_month
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.workshop import Workshop

TAGS_COLUMN = 1
ROWS = 5
# The hidden column is in between, so every header but the first is one further to the right.
NAME, AMOUNT = (HEADERS.index(header) + 1 for header in ("Razão Social", "Valor"))
AREA = (0, HEADER_ROW, len(HEADERS) + 2, HEADER_ROW + ROWS - 1)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    return Office(tmp_path_factory.mktemp("office"))


@needs_office
@pytest.mark.parametrize(("suffix", "is_column_dropped"), [("xlsx", False), ("ods", False), ("ods", True)])
def test_a_sheet_that_was_sorted_corrected_and_saved(
    office: Office, shop: Workshop, tmp_path: Path, suffix: str, is_column_dropped: bool
):
    month = write_month(tmp_path / "mes.xlsx", [cells(number, **BAD) for number in range(1, ROWS + 1)], has_city=True)
    first = {row.row_number: row.id for row in bill(shop, month)}
    steps = [sort(AREA, by=NAME), type_texts({(AMOUNT, HEADER_ROW): "200,00", (AMOUNT, HEADER_ROW + 2): "300,00"})]
    if is_column_dropped:
        steps.append(f"  sheet.Columns.removeByIndex({TAGS_COLUMN}, 1)")
    rows = bill(shop, office.work(returned(shop, month), tmp_path / f"volta.{suffix}", *steps))
    # Sorted downwards: row 8 is row 4 now.
    assert [row.follows_id for row in rows] == [first[number] for number in sorted(first, reverse=True)]
    good, bad = RowState.ASSEMBLED, RowState.REFUSED
    assert [row.state for row in rows] == [good, bad, good, bad, bad]


@needs_office
def test_remaining_faults_come_back_with_our_columns_once(office: Office, shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2, **BAD)], has_city=True)
    bill(shop, month)
    saved = office.work(returned(shop, month), tmp_path / "volta.xlsx", type_texts({(AMOUNT, 3): "200,00"}))
    bill(shop, saved)
    page = openpyxl.load_workbook(returned(shop, saved)).worksheets[0]
    headers = [cell.value for cell in page[HEADER_ROW]]
    assert headers == [HEADERS[0], "ref_linha", *HEADERS[1:], "Returned row", "What to correct"]
    assert page.max_row == FIRST
    assert page.column_dimensions["B"].hidden
