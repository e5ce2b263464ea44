"""A zip whose directory lies."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from connectors.spreadsheets.formats.package import Package
from domain.problems import InputError
from tests.connectors.spreadsheets import books

LIMIT = 1_000_000


def refusal(content: bytes) -> str:
    with pytest.raises(InputError) as caught:
        Package(content, unpacked_bytes=LIMIT)
    return caught.value.problem.code


def changed(content: bytes, name: bytes, offset: int, value: int, form: str = "<I") -> bytes:
    """Return the zip with one number changed in the part's directory entry."""
    spoilt = bytearray(content)
    at = content.rfind(name) - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    struct.pack_into(form, spoilt, at + offset, value)
    return bytes(spoilt)


def test_a_sound_part_comes_out_whole() -> None:
    package = Package(books.zipped([("a.xml", "<a/>" * 99), ("b.bin", "x")]), unpacked_bytes=LIMIT)
    assert package.read("a.xml") == b"<a/>" * 99
    assert package.size("a.xml") == 396
    assert "b.bin" in package
    assert "c.xml" not in package


def test_the_largest_part_counts_with_the_others() -> None:
    with ThreadPoolExecutor(1) as beside:
        sound = Package(books.zipped([("a.xml", "<a/>" * 99), ("b.xml", "<b/>")]), unpacked_bytes=LIMIT, beside=beside)
        sound.check()
        assert [sound.read("a.xml"), sound.read("b.xml"), sound.read("a.xml")] == [b"<a/>" * 99, b"<b/>", b"<a/>" * 99]
        parts = [("a.xml", "<!DOCTYPE a>" + "<a/>" * 99), ("b.xml", "<b/>")]
        unsafe = Package(books.zipped(parts), unpacked_bytes=LIMIT, beside=beside)
        with pytest.raises(InputError):
            unsafe.check()
        with pytest.raises(InputError):
            unsafe.read("a.xml")


def test_a_part_is_found_however_its_name_is_folded() -> None:
    package = Package(books.zipped([("xl/SharedStrings.xml", "<sst/>")]), unpacked_bytes=LIMIT)
    assert "xl/sharedStrings.xml" in package
    assert (package.size("XL/sharedstrings.xml"), package.read("xl/sharedStrings.xml")) == (6, b"<sst/>")


def test_a_stored_part_comes_out_too() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as package:
        package.writestr("a.xml", "<a/>")
    assert Package(target.getvalue(), unpacked_bytes=LIMIT).read("a.xml") == b"<a/>"


def test_sizes_that_lie_are_seen() -> None:
    sound = books.zipped([("a.xml", "<a/>" * 1000)])
    assert refusal(changed(sound, b"a.xml", 24, 100)) == "file.unsafe"
    assert refusal(changed(sound, b"a.xml", 24, 5000)) == "file.damaged"
    assert refusal(changed(sound, b"a.xml", 20, 3)) == "file.damaged"
    assert refusal(changed(sound, b"a.xml", 16, 12345)) == "file.damaged"
    assert refusal(changed(sound, b"a.xml", 42, 999_999)) == "file.damaged"


def test_the_declared_whole_is_bounded() -> None:
    assert refusal(books.zipped([("a.bin", bytes(LIMIT + 1))])) == "file.unpacks_too_large"


def test_a_bad_directory_is_refused_before_any_inflation() -> None:
    """Every part's bytes are gone: a reader that inflated one would call the file damaged."""

    def gutted(parts: Iterable[tuple[str, str | bytes]]) -> bytes:
        content = books.zipped(parts)
        directory = content.index(b"PK\x01\x02")
        return bytes(directory) + content[directory:]

    assert refusal(gutted([("a.xml", bytes(LIMIT)), ("b.bin", "x")])) == "file.unpacks_too_large"
    assert refusal(gutted((f"{n}.xml", "<a/>") for n in range(2_001))) == "file.unsafe"
    assert refusal(gutted([("a.xml", "<a/>"), ("A.xml", "<a/>")])) == "file.unsafe"
    assert refusal(changed(gutted([("a.xml", "<a/>")]), b"a.xml", 8, 1, "<H")) == "file.password"
    assert refusal(gutted([("a.xml", "<a/>")])) == "file.damaged"


def test_a_document_type_is_refused_before_any_parser() -> None:
    assert refusal(books.zipped([("a.xml", "<!DOCTYPE a [" + "<" * 1_000)])) == "file.unsafe"


def test_encryption_odd_methods_and_twins_are_refused() -> None:
    sound = books.zipped([("a.xml", "<a/>")])
    assert refusal(changed(sound, b"a.xml", 8, 1, "<H")) == "file.password"
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_BZIP2) as package:
        package.writestr("a.xml", "<a/>")
    assert refusal(target.getvalue()) == "file.unsafe"
    assert refusal(books.zipped([("A.xml", "<a/>"), ("a.XML", "<b/>")])) == "file.unsafe"
    assert refusal(books.zipped([("x/a.xml", "<a/>"), ("x\\a.xml", "<b/>")])) == "file.unsafe"
    assert refusal(books.zipped((f"{n}.bin", "") for n in range(2_001))) == "file.unsafe"


def test_markup_that_can_expand_is_refused() -> None:
    assert refusal(books.zipped([("a.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')])) == "file.unsafe"
    assert refusal(books.zipped([("a.xml", '<!DOCTYPE a SYSTEM "a.dtd"><a/>')])) == "file.unsafe"
    assert refusal(books.zipped([("a.rels", "<a/>".encode("utf-16"))])) == "file.unsafe"
    assert refusal(books.zipped([("a.xml", "<a/>".encode("utf-16-le"))])) == "file.unsafe"


def test_a_missing_part_is_damage() -> None:
    package = Package(books.zipped([("a.xml", "<a/>")]), unpacked_bytes=LIMIT)
    with pytest.raises(InputError):
        package.read("b.xml")


def commented(content: bytes, length: int) -> bytes:
    """Return the zip with a stated comment of this many bytes."""
    return content[:-2] + struct.pack("<H", length)


ONE, OTHER = books.zipped([("a.xml", "<a/>")]), books.zipped([("b.xml", "<b/>")])


def large_form(content: bytes) -> bytes:
    """Return the zip with its directory a second time, in the form for more than four gigabytes."""
    at = len(content) - 22
    count, size, start = struct.unpack_from("<10xHII", content, at)
    again = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    place = struct.pack("<4sIQI", b"PK\x06\x07", 0, at, 1)
    end = content[at : at + 12] + struct.pack("<IIH", size + len(again) + len(place), start, 0)
    return content[:at] + again + place + end


@pytest.mark.parametrize(
    "content",
    [OTHER + ONE, commented(OTHER, len(ONE)) + commented(ONE, 7), OTHER + commented(ONE, 1), ONE + b"junk",
     large_form(ONE)],
    ids=["behind another", "in a comment", "with a comment too short", "before something", "told twice"],
)  # fmt: skip
def test_a_zip_with_an_ambiguous_directory_is_refused(content: bytes) -> None:
    assert refusal(content) == "file.unsafe"


def test_a_comment_after_the_directory_is_not_a_part() -> None:
    assert "a.xml" in Package(commented(ONE, 3) + b"abc", unpacked_bytes=LIMIT)


def test_a_part_with_a_second_name_is_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        part = zipfile.ZipInfo("a.bin")
        name = b"a.xml"
        part.extra = struct.pack("<HHBI", 0x7075, 5 + len(name), 1, zlib.crc32(b"a.bin")) + name
        package.writestr(part, "<a/>")
    assert refusal(target.getvalue()) == "file.unsafe"
