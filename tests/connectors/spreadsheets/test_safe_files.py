"""A file for people appears whole or not at all."""

from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from connectors.spreadsheets.safe_files import A4, MARGINS, on_paper, pages_wide, readable_stem, write_atomically


def test_a_failed_file_leaves_only_the_earlier_one(tmp_path: Path):
    path = tmp_path / "new" / "a.xlsx"

    def write(partial: Path) -> None:
        partial.write_text("first")

    write_atomically(path, write)

    def fail(partial: Path) -> None:
        partial.write_text("half")
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError):
        write_atomically(path, fail)
    assert [each.name for each in path.parent.iterdir()] == ["a.xlsx"]
    assert path.read_text() == "first"


def test_a_file_that_the_disk_did_not_take_gets_no_name(tmp_path: Path):
    def write(partial: Path) -> None:
        partial.unlink()
        partial.symlink_to("/dev/full")

    with pytest.raises(OSError, match="Invalid argument"):
        write_atomically(tmp_path / "a.xlsx", write)
    assert [*tmp_path.iterdir()] == []


def test_a_file_is_for_everybody_who_may_read_a_new_one(tmp_path: Path):
    own = tmp_path / "own.txt"
    own.write_text("mine")

    def write(partial: Path) -> None:
        partial.write_text("theirs")

    write_atomically(tmp_path / "a.txt", write)
    assert (tmp_path / "a.txt").stat().st_mode == own.stat().st_mode


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Fat Nov.26 (v2).xlsx", "Fat Nov.26 (v2)"), ("a\n\tb\u202e.xlsx", "a b"), ("n" * 250 + ".csv", "n" * 160),
        ("ã" * 100 + ".csv", "ã" * 80), ("\n.csv", "-"),
    ],
)  # fmt: skip
def test_a_name_is_on_one_line_and_has_room_for_an_end(name: str, stem: str):
    assert readable_stem(name) == stem


def test_half_a_file_never_bears_the_name(tmp_path: Path):
    path = tmp_path / "a.csv"

    def look(partial: Path) -> None:
        partial.write_text("half")
        assert not path.exists()
        assert partial.suffix == ".csv"

    write_atomically(path, look)
    assert path.read_text() == "half"


def test_columns_go_over_as_many_pages_as_can_be_read() -> None:
    assert [pages_wide(letters) for letters in (0, 80, 210, 211, 481.5)] == [1, 1, 1, 2, 3]


@pytest.mark.parametrize(("is_upright", "way"), [(False, "landscape"), (True, "portrait")])
def test_a_page_is_set_up_for_printing(tmp_path: Path, is_upright: bool, way: str) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        on_paper(book.add_worksheet(), wide=2, is_upright=is_upright)
    page = openpyxl.load_workbook(path).worksheets[0]
    assert (page.page_setup.orientation, page.page_setup.paperSize, page.page_setup.fitToWidth) == (way, A4, 2)
    assert (page.page_setup.fitToHeight, page.page_margins.left) == (0, MARGINS["left"])
    assert page.oddFooter is not None
    assert (page.oddFooter.left.text, page.oddFooter.right.text) == ("&F", "&P / &N")
