"""A folder is synced by its own descriptor; what cannot be opened is an error."""

from pathlib import Path

import pytest

from connectors.synced_folders import sync_folder


def test_a_folder_is_synced_and_a_file_is_none(tmp_path: Path):
    sync_folder(tmp_path)
    (tmp_path / "file").touch()
    for path, error in (("file", NotADirectoryError), ("nowhere", FileNotFoundError)):
        with pytest.raises(error):
            sync_folder(tmp_path / path)


def test_a_file_system_that_syncs_no_folders_is_no_fault():
    sync_folder(Path("/proc/self"))
