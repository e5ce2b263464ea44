"""Warnings below a summary, wrapped to the width of the page and with sufficient height."""

import math
from collections.abc import Sequence
from typing import Final

from xlsxwriter.worksheet import Worksheet

from connectors.spreadsheets.writers.styles import Styles

_SHOWN: Final = 12
_LINE_POINTS: Final = 15.0
_FILLED: Final = 0.95
"""The usable part of a line before a word moves to the next one."""


def write_notices(
    sheet: Worksheet, styles: Styles, texts: Sequence[str], *, row: int, columns: tuple[int, int], width: float
) -> int:
    """Write the first dozen notices from `row` on. Return the next free row.

    `columns` are the first and last column, `width` is their total width in characters.
    """
    look = styles.of(text_wrap=True, valign="top")
    for text in texts[:_SHOWN]:
        line = f"• {text}"
        sheet.merge_range(row, columns[0], row, columns[1], "", look)
        sheet.write_string(row, columns[0], line, look)
        sheet.set_row(row, _LINE_POINTS * math.ceil(len(line) / (width * _FILLED)))
        row += 1
    if len(texts) > _SHOWN:
        sheet.write_string(row, columns[0], f"… + {len(texts) - _SHOWN}", styles.muted)
        row += 1
    return row
