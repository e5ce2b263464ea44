"""Faults of a disk by name, as far as the system tells them apart."""

import errno

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from domain.disk_faults import disk_fault, is_out_of_room
from domain.problems import Problem


@pytest.mark.parametrize(
    ("number", "name", "is_any"),
    [
        (errno.ENOSPC, "full", True),
        (errno.EDQUOT, "full", True),
        (errno.EFBIG, "too_large", True),
        (errno.EROFS, "read_only", True),
        (errno.EACCES, "forbidden", False),
        (errno.EEXIST, "no_folder", False),
        (errno.EIO, "failing", False),
        (None, "failing", False),
    ],
)
def test_a_disks_fault_has_words_in_each_language(number: int | None, name: str, is_any: bool):
    error = OSError() if number is None else OSError(number, "what the system says")
    assert (disk_fault(error), is_out_of_room(error)) == (name, is_any)
    for language in LANGUAGES:
        words = Catalogue.load(language)
        text = words.what(Problem("ledger.cannot_write", params={"disk": name}))
        assert words.text(f"disk.{name}") in text
        assert "[" not in text


def test_another_error_is_no_full_disk():
    assert not is_out_of_room(ValueError("full"))
