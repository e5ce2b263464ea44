"""The container of old files: streams come out whole, and chains that lead nowhere or in circles end."""

import struct

import pytest

from connectors.spreadsheets.formats.compound import Compound
from domain.problems import LayoutError
from tests.connectors.spreadsheets.formats.binaries import MONTH_XLS

MONTH = MONTH_XLS.read_bytes()


def test_streams_by_name_large_and_small() -> None:
    found = Compound(MONTH)
    workbook = found.stream("Workbook", "Book")
    assert workbook is not None
    assert workbook[:2] == b"\x09\x08"
    # a small stream lives in the small sectors
    assert (found.stream("\x01CompObj") or b"").count(b"Biff8") == 1
    assert found.stream("Nothing") is None


def fat_at(content: bytes) -> int:
    (sector,) = struct.unpack_from("<I", content, 76)
    return (int(sector) + 1) * 512


@pytest.mark.parametrize("target", [0, 1, 5, 0x7FFFFFFF])
def test_chains_in_circles_or_beyond_the_file_are_refused(target: int) -> None:
    content = bytearray(MONTH)
    at = fat_at(MONTH)
    for entry in range(128):
        struct.pack_into("<I", content, at + 4 * entry, target)
    with pytest.raises(LayoutError):
        Compound(bytes(content)).stream("Workbook")


@pytest.mark.parametrize("length", [8, 75, 511, 600, 1_500])
def test_half_a_file_is_refused(length: int) -> None:
    with pytest.raises(LayoutError):
        Compound(MONTH[:length]).stream("Workbook")


def test_absurd_sector_sizes_are_refused() -> None:
    content = bytearray(MONTH)
    struct.pack_into("<H", content, 30, 60)
    with pytest.raises(LayoutError):
        Compound(bytes(content))
