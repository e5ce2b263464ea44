"""Files as people's programs write them: workbooks, CSV in their encodings, HTML under the name of an XLS.

A workbook is written when its test reads it: each worker collects all tests, and needs only the names of their files.
"""

import functools
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import xlsxwriter

from tests.corpus.habits import HEAD

Rows = Sequence[Sequence[object]]
SHEET: Final = "xl/worksheets/sheet1.xml"

_OPTIONS: Final = {"strings_to_formulas": False, "default_date_format": "dd/mm/yyyy", "in_memory": True}


def xlsx(
    *rows: Sequence[object],
    dress: Callable[[Any, Any], None] | None = None,
    shaped: Mapping[str, tuple[float, str]] | None = None,
    name: str = "Plan1",
    others: Mapping[str, Rows] | None = None,
) -> Callable[[], bytes]:
    """Return a workbook with these rows from the top; `dress` changes it further, `shaped` are numbers with formats."""
    return functools.partial(_write, {name: rows, **(others or {})}, dress, shaped or {})


def _write(
    sheets: Mapping[str, Rows], dress: Callable[[Any, Any], None] | None, shaped: Mapping[str, tuple[float, str]]
) -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, _OPTIONS)
    for title, content in sheets.items():
        sheet = book.add_worksheet(title)
        for number, row in enumerate(content):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(number, column, value)
    first = book.worksheets()[0]
    for place, (shown, code) in shaped.items():
        first.write_number(place, shown, book.add_format({"num_format": code}))
    if dress:
        dress(first, book)
    book.close()
    return target.getvalue()


def table(*rows: Sequence[object], head: Sequence[object] = HEAD, **options: Any) -> Callable[[], bytes]:
    """Return a workbook with the usual header in its first row."""
    return xlsx(head, *rows, **options)


def changed(written: Callable[[], bytes], part: str, old: str, new: str) -> Callable[[], bytes]:
    """Return a workbook with another text in one of its parts, as programs write that xlsxwriter does not."""
    return functools.partial(_change, written, part, old, new)


def _change(written: Callable[[], bytes], part: str, old: str, new: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written())) as book, zipfile.ZipFile(target, "w") as other:
        for name in book.namelist():
            text = book.read(name)
            assert name != part or old.encode() in text
            other.writestr(name, text.replace(old.encode(), new.encode()) if name == part else text)
    return target.getvalue()


def html(rows: Rows, *, before: str = "", tags: str = "td") -> bytes:
    """Return a table that a web system saves under the name of a workbook."""
    cells = "".join(
        "<tr>" + "".join(f"<{tags}>{'' if cell is None else cell}</{tags}>" for cell in row) + "</tr>\n" for row in rows
    )
    return (
        f"<html><head><meta charset='utf-8'></head><body>{before}<table border=1>{cells}</table></body></html>".encode()
    )
