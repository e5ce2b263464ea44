"""A zip that is not what it says."""

import io
import struct
import zipfile
from collections.abc import Iterable

import pytest

from connectors.spreadsheets.formats.package import Package
from domain.problems import LayoutError
from tests.connectors.spreadsheets import books

LIMIT = 1_000_000


def refusal(content: bytes) -> str:
    with pytest.raises(LayoutError) as caught:
        Package(content, unpacked_bytes=LIMIT)
    return caught.value.problem.code


def changed(content: bytes, name: bytes, offset: int, value: int, form: str = "<I") -> bytes:
    """The same zip with one number of the part's entry in the directory changed."""
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


def test_what_the_directory_tells_is_refused_before_anything_is_inflated() -> None:
    """Every part's bytes are gone: whoever inflated one would call the file damaged."""

    def gutted(parts: Iterable[tuple[str, str | bytes]]) -> bytes:
        content = books.zipped(parts)
        directory = content.index(b"PK\x01\x02")
        return bytes(directory) + content[directory:]

    assert refusal(gutted([("a.xml", bytes(LIMIT)), ("b.bin", "x")])) == "file.unpacks_too_large"
    assert refusal(gutted((f"{n}.xml", "<a/>") for n in range(2_001))) == "file.unsafe"
    assert refusal(gutted([("a.xml", "<a/>"), ("A.xml", "<a/>")])) == "file.unsafe"
    assert refusal(changed(gutted([("a.xml", "<a/>")]), b"a.xml", 8, 1, "<H")) == "file.password"
    assert refusal(gutted([("a.xml", "<a/>")])) == "file.damaged"


def test_a_document_type_is_refused_before_any_parser_sees_the_markup() -> None:
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
    with pytest.raises(LayoutError):
        package.read("b.xml")
