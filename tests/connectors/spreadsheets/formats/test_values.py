"""A panic of the cell reader is a refusal in words and nothing else; what others say meanwhile is not lost."""

import os

import pytest

from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.formats.values import guarded
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import LayoutError
from tests.connectors.spreadsheets.formats import binaries


def test_a_panic_leaves_nothing_on_the_error_output(capfd: pytest.CaptureFixture[str]) -> None:
    cells = binaries.row(0, [binaries.text(0, 7)])
    content = binaries.xlsb([("S", binaries.sheet_bin(cells), 0)], texts=["x"])
    with pytest.raises(LayoutError):
        for _ in open_workbook(content, Limits()).sheets[0].rows():
            pass
    assert capfd.readouterr().err == ""


def test_what_others_say_meanwhile_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: os.write(2, b"still here\n")) == 11
    assert capfd.readouterr().err == "still here\n"
