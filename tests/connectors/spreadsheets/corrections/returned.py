"""Correction workbooks for tests: a month as a person's program writes it, and the workbook made from it."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from configs.catalogue import Catalogue
from connectors.spreadsheets.corrections.writer import write_corrections
from connectors.spreadsheets.workbook import open_workbook
from domain.corrections.reports import CorrectionsReport, FailingRow, Fault, Reason
from domain.corrections.row_tags import tag_of
from tests.connectors.spreadsheets import books

SHEET = "Plan"
SECRET = b"secret"
WORDS = Catalogue.load("pt_BR").words("corrections")
HEADER = ("CNPJ/CPF", "Nome", "Valor", "Modelo")
BAD_AMOUNT = Fault(what="Não é um valor.", mend="Digite um número.", column="C")
WHOLE_ROW = Fault(what="O modelo não existe.", mend="Confira o nome.")


def month(count: int = 6) -> list[list[object]]:
    """Return the rows of a month: title, blank line, header in row 3, data from row 4 on (`Cliente 4` is in row 4)."""
    rows = [[f"0000000000{row}", f"Cliente {row}", row * 1.5, "Consultoria"] for row in range(4, 4 + count)]
    return [["Faturamento"], [], list(HEADER), *rows]


def tag(row: int) -> str:
    return tag_of(row, secret=SECRET)


def report(failing: Mapping[int, Sequence[Fault]], *, header_row: int = 3, sheet: str = SHEET) -> CorrectionsReport:
    """Return a report with these faults by row; a row's tag is that of its number."""
    return CorrectionsReport(
        file_sha256="ab" * 32,
        header_rows={sheet: header_row},
        rows=tuple(
            FailingRow(sheet=sheet, row=row, status="Recusada", tag=tag(row), faults=tuple(faults))
            for row, faults in failing.items()
        ),
        reasons=(Reason(what="Não é um valor.", mend="Digite um número.", rows=tuple(failing)),),
        words=WORDS,
    )


def returned(
    folder: Path, content: bytes, failing: Mapping[int, Sequence[Fault]], **options: Any
) -> tuple[Workbook, bytes, bool]:
    """Return the correction workbook, open and as bytes, and whether it looks like the original."""
    path = folder / "corrigir.xlsx"
    has_looks = write_corrections(path, content, report(failing, **options), reopened=lambda: open_workbook(content))
    written = path.read_bytes()
    return openpyxl.load_workbook(BytesIO(written)), written, has_looks


def texts(page: Worksheet) -> list[list[Any]]:
    """Return the values of a sheet's rows, without blank cells at the end."""
    rows: list[list[Any]] = [list(row) for row in page.iter_rows(values_only=True)]
    for row in rows:
        while row and row[-1] is None:
            row.pop()
    return rows


def styled(rows: Sequence[Sequence[object]], style: Callable[[Workbook, Worksheet], None]) -> bytes:
    """Return an XLSX of these rows, changed by `style` as a person's program would."""
    book = openpyxl.load_workbook(BytesIO(books.written((SHEET, rows))))
    style(book, book[SHEET])
    target = BytesIO()
    book.save(target)
    return target.getvalue()
