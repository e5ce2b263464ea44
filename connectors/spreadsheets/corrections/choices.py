"""Offer known names in the cells of a corrections workbook: templates and cities, from a hidden sheet of lists."""

from collections.abc import Mapping
from typing import Final

from openpyxl import Workbook as Book
from openpyxl.utils import get_column_letter, quote_sheetname
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.corrections.columns import SheetPlan
from connectors.spreadsheets.corrections.values import cell_at, put_text
from domain.corrections.reports import Choices, CorrectionsReport

_HIDDEN: Final = "hidden"


def offer_choices(book: Book, plans: Mapping[str, SheetPlan], report: CorrectionsReport) -> None:
    """Add the sheet of allowed values, replacing an earlier one, and give the cells drop-down lists from it."""
    for words in report.every_words:
        if words["lists"] in book.sheetnames:
            book.remove(book[words["lists"]])
    offered = [each for each in report.choices if each.sheet in plans and plans[each.sheet].rows]
    if not offered:
        return
    lists = book.create_sheet(report.words["lists"])
    lists.sheet_state = _HIDDEN
    written: dict[tuple[str, ...], str] = {}
    for each in offered:
        if each.texts not in written:
            written[each.texts] = _write_list(lists, len(written), each.texts)
        _offer(book[each.sheet], plans[each.sheet], each, written[each.texts], report.words["not_listed"])


def _write_list(lists: Worksheet, column: int, texts: tuple[str, ...]) -> str:
    """Write one list and return its range in formula notation."""
    for row, text in enumerate(texts, start=1):
        put_text(cell_at(lists, row, column), text)
    letter = get_column_letter(column + 1)
    return f"{quote_sheetname(lists.title)}!${letter}$1:${letter}${len(texts)}"


def _offer(page: Worksheet, plan: SheetPlan, choices: Choices, source: str, warning: str) -> None:
    column = plan.of(choices)
    if column is None:
        return
    letter = get_column_letter(column + 1)
    first, last = min(plan.rows.values()), max(plan.rows.values())
    # another name may be right: warn people, do not stop them
    offered = DataValidation(type="list", formula1=source, allow_blank=True, errorStyle="warning", error=warning)
    offered.showErrorMessage = True
    offered.add(f"{letter}{first}:{letter}{last}")
    page.add_data_validation(offered)
