"""Test the OLE container: streams are read whole; broken and circular sector chains end."""

import struct

import pytest

from connectors.spreadsheets.formats.compound import Compound, packed
from domain.problems import InputError
from tests.connectors.spreadsheets.formats.binaries import MONTH_XLS

MONTH = MONTH_XLS.read_bytes()


def test_streams_by_name_large_and_small() -> None:
    found = Compound(MONTH)
    workbook = found.stream("Workbook", "Book")
    assert workbook is not None
    assert workbook[:2] == b"\x09\x08"
    # The small sectors hold a small stream.
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
    with pytest.raises(InputError):
        Compound(bytes(content)).stream("Workbook")


@pytest.mark.parametrize("length", [8, 75, 511, 600, 1_500])
def test_half_a_file_is_refused(length: int) -> None:
    with pytest.raises(InputError):
        Compound(MONTH[:length]).stream("Workbook")


def test_absurd_sector_sizes_are_refused() -> None:
    content = bytearray(MONTH)
    struct.pack_into("<H", content, 30, 60)
    with pytest.raises(InputError):
        Compound(bytes(content))


@pytest.mark.parametrize("size", [10, 4_096, 4_097, 5_000_000])
def test_a_container_of_our_own_holds_the_stream(size: int) -> None:
    stream = bytes(range(1, 251)) * (size // 250 + 1)
    again = Compound(packed(stream[:size])).stream("Workbook")
    assert again is not None
    assert again.rstrip(b"\0") == stream[:size]


def test_a_chain_of_small_sectors_ends_with_the_stream() -> None:
    content = bytearray(MONTH)
    (start,) = struct.unpack_from("<I", content, 60)
    at = (start + 1) * 512
    for sector in range(128):
        # Each sector is followed by itself.
        struct.pack_into("<I", content, at + 4 * sector, sector)
    assert Compound(bytes(content)).stream("\x01CompObj")


def test_a_stream_larger_than_the_file_is_refused() -> None:
    content = bytearray(MONTH)
    at = MONTH.index("\x01CompObj".encode("utf-16-le"))
    struct.pack_into("<I", content, at + 120, 4_095)
    assert Compound(bytes(content)).stream("Workbook")
    with pytest.raises(InputError):
        Compound(bytes(content)).stream("\x01CompObj")
    struct.pack_into("<I", content, at + 120, 2**31)
    with pytest.raises(InputError):
        Compound(bytes(content)).stream("\x01CompObj")
