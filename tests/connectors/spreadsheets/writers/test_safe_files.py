"""A file for people appears whole or not at all."""

import gc
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from connectors.spreadsheets.writers.safe_files import (
    A4,
    MARGINS,
    on_paper,
    pages_wide,
    readable_stem,
    write_atomically,
)


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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder on a disk of its own, with room for a few kilobytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("this machine has no mount")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("this user may not mount a small disk")
    yield folder
    subprocess.run([umount, folder], check=True)


def fill_by_xlsxwriter(partial: Path) -> None:
    with xlsxwriter.Workbook(partial) as book:
        sheet = book.add_worksheet()
        for row in range(3_000):
            sheet.write(row, 0, 0.1 * row)


def fill_by_openpyxl(partial: Path) -> None:
    book = openpyxl.Workbook()
    for row in range(3_000):
        book.worksheets[0].append([0.1 * row])
    book.save(partial)


def full_place(path: Path, fill: Callable[[Path], None]) -> str | None:
    """Return the place that the error names. Keep no error: its frames hold a library's open file."""
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, fill)
    place: str | None = caught.value.filename
    return place


def test_a_full_disk_of_temporary_files_is_named(small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))

    def fill(_partial: Path) -> None:
        with tempfile.TemporaryFile(buffering=0) as file:
            for _ in range(100):
                file.write(b"x" * 1_024)

    assert full_place(tmp_path / "a.xlsx", fill) == str(small_disk)


@pytest.mark.parametrize("taken", [0, 12_288, 16_384])
@pytest.mark.parametrize("fill", [fill_by_xlsxwriter, fill_by_openpyxl])
def test_a_workbook_on_a_full_disk_leaves_no_traceback(small_disk: Path, fill, taken: int):
    other = small_disk / "other"
    other.write_bytes(bytes(taken))
    assert full_place(small_disk / "a.xlsx", fill) == str(small_disk / "a.xlsx")
    # the library's file is closed once more; an error would be a warning, and so a failure
    gc.collect()
    assert [*small_disk.iterdir()] == [other]


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


def test_partial_files_of_killed_processes_are_removed_after_a_day(tmp_path: Path):
    old, new = tmp_path / ".part-old.xlsx", tmp_path / ".part-new.xlsx"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (0, time.time() - 90_000))
    write_atomically(tmp_path / "a.txt", Path.touch)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".part-new.xlsx", "a.txt"]


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
