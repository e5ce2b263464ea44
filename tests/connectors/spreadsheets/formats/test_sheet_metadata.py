"""Addresses become columns and back, merges stay within the sheet, and codes identify number formats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.formats import sheet_metadata
from connectors.spreadsheets.formats.sheet_metadata import (
    FOREIGN,
    MULTIPLIED,
    PERCENT,
    ROUNDED,
    SCALED,
    SheetMetadata,
    kind_of_format,
)
from domain.problems import InputError


@given(st.integers(0, 16_383))
def test_letters_name_columns(index: int) -> None:
    assert sheet_metadata.column_index(sheet_metadata.column_letter(index)) == index


def test_column_letters_match_their_index() -> None:
    assert [sheet_metadata.column_letter(index) for index in (0, 25, 26, 701, 702, 16_383)] == [
        "A",
        "Z",
        "AA",
        "ZZ",
        "AAA",
        "XFD",
    ]


def test_a_merge_covers_what_is_below_its_first_row() -> None:
    found = SheetMetadata(height=4, width=3)
    found.cover(1, 1_048_575, 1, 16_383)
    assert found.covered == {(2, 1), (2, 2), (3, 1), (3, 2)}


def test_too_many_merged_cells_stop() -> None:
    found = SheetMetadata(height=10_000, width=10)
    with pytest.raises(InputError):
        found.cover(0, 10_000, 0, 10)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("0%", PERCENT), ("0.00%", PERCENT), ("0.0\\%", ROUNDED), ("General", 0), ("@", 0),
        ("00000000000000", 14), ("000\\.000\\.000\\-00", 11), ('00"."000"."000"/"0000"-"00', 14), ("00000-000", 8),
        ("[$-416]00000000000", 11), ("0", ROUNDED), ("0000", ROUNDED), ("#,##0.00", 0), ("000000.00", 0),
        ("dd/mm/yyyy", 0),
        ("0.00;-0%", 0), ("0" * 21, ROUNDED), ("", 0), ("#,##0", ROUNDED), ("#,##0.00,", SCALED),
        ("[$US$-409] #,##0.00", FOREIGN), ("[$€-2] #,##0", FOREIGN), ('"US$" 0.00', FOREIGN),
        ('#,##0.0" mil"', MULTIPLIED), ("0.0\\k", MULTIPLIED), ('0.0,"k"', SCALED),
        ('#,##0.00" milk"', 0), ("[$R$-416] #,##0.00", 0), ("mmm/yy", 0), ('_-"R$"* #,##0.00_-', 0),
    ],
)  # fmt: skip
def test_a_format_code_shows_its_kind(code: str, kind: int) -> None:
    assert kind_of_format(code) == kind
