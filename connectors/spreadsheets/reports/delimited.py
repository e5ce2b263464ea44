"""A report's lines as CSV for a Brazilian spreadsheet program: UTF-8 with BOM, semicolons, decimal commas.

Text that a spreadsheet would run as a formula gets an apostrophe (`domain.texts.escape_formulas`). Numbers are ours and
written bare, negative ones too; identifiers stay as written.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from connectors.spreadsheets.reports.columns import Column, Kind
from domain.competence import BRASILIA
from domain.texts import escape_formulas

R = TypeVar("R")


def write_lines(path: Path, columns: Sequence[Column[R]], lines: Sequence[R], words: Mapping[str, str]) -> None:
    """Write header and lines; the same content gives the same bytes."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow([words[column.word] for column in columns])
        for line in lines:
            writer.writerow([_cell(column.kind, column.value(line)) for column in columns])


def _cell(kind: Kind, value: Any) -> str:
    if value is None:
        return ""
    if kind == "money":
        sign, cents = ("-" if value < 0 else ""), abs(value)
        return f"{sign}{cents // 100},{cents % 100:02d}"
    if kind == "instant":
        return f"{value.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}"
    if kind in ("day", "month"):
        return f"{value:%d/%m/%Y}" if kind == "day" else f"{value:%m/%Y}"
    return escape_formulas(str(value)) if kind == "text" else str(value)
