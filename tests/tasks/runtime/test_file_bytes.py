"""A file's bytes are read within limits; what is wrong with the disk is not laid on the file."""

import errno
from pathlib import Path

import pytest

from domain.problems import InputError
from tasks.runtime.file_bytes import read_bytes


def test_a_failing_disk_is_no_fault_of_the_file():
    # the kernel answers with EIO, as a bad block does
    with pytest.raises(OSError, match="Input/output") as caught:
        read_bytes(Path("/proc/self/mem"), limit=10)
    assert caught.value.errno == errno.EIO


def test_a_file_that_nobody_can_open_is_refused(tmp_path: Path):
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(InputError) as caught:
        read_bytes(tmp_path / "loop.csv", limit=10)
    assert caught.value.problem.code == "file.unreadable"
