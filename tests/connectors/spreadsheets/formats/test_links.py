"""Every later reader of the package follows the same links that we checked."""

from collections.abc import Mapping

import pytest

from connectors.spreadsheets.formats.links import check_root, check_sheets, linked_parts, tree
from connectors.spreadsheets.formats.package import Package
from domain.problems import InputError
from tests.connectors.spreadsheets import books

INDEX = "xl/workbook.xml"
BOOK = f"{books.OFFICE}/officeDocument"


def package(parts: Mapping[str, str]) -> Package:
    return Package(books.zipped(parts.items()), unpacked_bytes=1_000_000)


def links(*listed: tuple[str, str]) -> str:
    inside = "".join(f'<Relationship Id="r{n}" Type="{kind}" Target="{to}"/>' for n, (kind, to) in enumerate(listed))
    return f"<Relationships {books.LINKS}>{inside}</Relationships>"


@pytest.mark.parametrize("target", ["xl/workbook.xml", "/xl/workbook.xml", "XL/Workbook.xml"])
def test_a_package_that_points_to_its_workbook_is_sound(target: str) -> None:
    check_root(package({INDEX: "<a/>", "_rels/.rels": links(("x/core", "docProps/core.xml"), (BOOK, target))}), INDEX)
    check_root(package({INDEX: "<a/>"}), INDEX)


@pytest.mark.parametrize(
    "listed",
    [
        [(BOOK, "foo/workbook.xml")],
        [(BOOK, "xl/workbook.xml"), (BOOK, "foo/workbook.xml")],
        [("x/officeDocument", "/foo/workbook.xml")],
        [(BOOK, "f&#111;o/workbook.xml")],
        [(f"{books.OFFICE}/office&#68;ocument", "foo/workbook.xml")],
        [(BOOK, "xl/workbook.bin")],
    ],
)
def test_a_package_that_points_elsewhere_is_refused(listed: list[tuple[str, str]]) -> None:
    with pytest.raises(InputError):
        check_root(package({INDEX: "<a/>", "_rels/.rels": links(*listed)}), INDEX)


@pytest.mark.parametrize("other", ["xl/workbook.bin", "XL/WORKBOOK.BIN", "content.xml"])
def test_two_workbooks_in_one_package_are_refused(other: str) -> None:
    with pytest.raises(InputError):
        check_root(package({INDEX: "<a/>", other: "<a/>"}), INDEX)


def test_parts_of_sheets_are_found_by_their_links() -> None:
    kind = f"{books.OFFICE}/worksheet"
    found = linked_parts(
        package({"l.rels": links((kind, "worksheets/a.xml"), (kind, "/xl/b.xml"), ("x", "c"))}), "l.rels"
    )
    assert found == {"r0": "xl/worksheets/a.xml", "r1": "xl/b.xml"}
    with pytest.raises(InputError):
        linked_parts(package({"l.rels": links((kind, "xl/a.xml")), "xl/xl/a.xml": "<a/>"}), "l.rels")
    with pytest.raises(InputError):
        tree(package({}), "l.rels")


def test_two_sheets_share_neither_name_nor_part() -> None:
    check_sheets(["A", "B", "C"], ["xl/a.xml", "", ""])
    for names, parts in ((["A", "A"], ["x", "y"]), (["A", "B"], ["x", "x"]), (["A"] * 101, ["x"] * 101)):
        with pytest.raises(InputError):
            check_sheets(names, parts)
