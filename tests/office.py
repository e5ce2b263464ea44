"""Drive LibreOffice as a person would: open, sort, type, save in any format. Some machines do not have it."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

IS_MISSING = shutil.which("soffice") is None
needs_office = pytest.mark.skipif(IS_MISSING, reason="LibreOffice is not installed")

FILTERS = {"xlsx": "Calc MS Excel 2007 XML", "ods": "calc8", "xls": "MS Excel 97"}
_PATIENCE_S = 600
_MACRO = """
Sub Work
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden" : hidden(0).Value = True
  book = StarDesktop.loadComponentFromURL(ConvertToURL("{source}"), "_blank", 0, hidden())
  sheet = book.Sheets(0)
{steps}
  Dim saved(0) As New com.sun.star.beans.PropertyValue
  saved(0).Name = "FilterName" : saved(0).Value = "{filter}"
  book.storeToURL(ConvertToURL("{target}"), saved())
  book.close(True)
End Sub
"""
_SORT = """  Dim by(0) As New com.sun.star.table.TableSortField
  by(0).Field = {key} : by(0).IsAscending = False
  Dim how(0) As New com.sun.star.beans.PropertyValue
  how(0).Name = "SortFields" : how(0).Value = by()
  sheet.getCellRangeByPosition({left}, {top}, {right}, {bottom}).sort(how())"""


class Office:
    """One LibreOffice with a separate profile."""

    def __init__(self, home: Path) -> None:
        self._profile = home / "office"
        # Its first start makes the folder for the macro.
        self._run("--terminate_after_init")

    def work(self, source: Path, target: Path, *steps: str) -> Path:
        """Open `source`, do these steps, save in the format of the target's name."""
        macro = _MACRO.format(source=source, target=target, filter=FILTERS[target.suffix[1:]], steps="\n".join(steps))
        module = self._profile / "user/basic/Standard/Module1.xba"
        # Replace the text of the module that LibreOffice made itself.
        start, _, _ = module.read_text(encoding="utf-8").partition("<script:module")
        tag = re.search("<script:module[^>]*>", module.read_text(encoding="utf-8"))
        assert tag is not None
        module.write_text(f"{start}{tag[0]}{escape(macro)}</script:module>", encoding="utf-8")
        self._run("macro:///Standard.Module1.Work")
        assert target.is_file(), "LibreOffice has not saved"
        return target

    def _run(self, *arguments: str) -> None:
        command = ["soffice", f"-env:UserInstallation=file://{self._profile}", "--headless", "--norestore", *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE_S)


def sort(area: tuple[int, int, int, int], *, by: int) -> str:
    """Return a step that sorts left, top, right, bottom (from 0) by one of its columns, downwards."""
    left, top, right, bottom = area
    return _SORT.format(left=left, top=top, right=right, bottom=bottom, key=by)


def type_texts(texts: Mapping[tuple[int, int], str]) -> str:
    """Return a step that types texts into cells by column and row, from 0."""
    return "\n".join(
        f'  sheet.getCellByPosition({column}, {row}).setString("{text}")' for (column, row), text in texts.items()
    )
