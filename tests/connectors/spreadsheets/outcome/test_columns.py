"""The mapping of each column has a separate page, in the sheet's words and ours; text stays text."""

from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from configs.catalogue import Catalogue
from connectors.spreadsheets.outcome.writer import write_outcome
from domain.reports import OutcomeReport

COLUMNS = (("A", "CNPJ/CPF", "CPF/CNPJ"), ("B", '=HYPERLINK("x")', "(não usada)"))


@pytest.mark.parametrize("columns", [COLUMNS, ()])
def test_the_last_page_lists_every_column(tmp_path: Path, columns: tuple[tuple[str, str, str], ...]) -> None:
    words = Catalogue.load("pt_BR").words("outcome")
    report = OutcomeReport(
        file_name="mes.xlsx",
        file_sha256="ab" * 32,
        made_at=datetime(2026, 11, 20, tzinfo=UTC),
        rows=(),
        totals=(),
        words=words,
        columns=columns,
    )
    write_outcome(tmp_path / "o.xlsx", report)
    book = openpyxl.load_workbook(tmp_path / "o.xlsx")
    pages = [words["page_summary"], words["page_rows"]]
    if not columns:
        assert book.sheetnames == pages
        return
    assert book.sheetnames == [*pages, words["page_columns"]]
    rows = list(book[words["page_columns"]].iter_rows(min_row=3, values_only=True))
    assert rows == [(words["column_letter"], words["column_header"], words["column_field"]), *columns]
    assert book[words["page_columns"]]["B5"].data_type == "s"
