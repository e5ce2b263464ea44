"""Files and folders that only their owner may read, for everything that the ledger writes."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

_OWNER_ONLY: Final = 0o600
_OWNER_ONLY_FOLDER: Final = 0o700


def make_folder(path: Path) -> None:
    """Create a folder that only its owner may enter, and its parents; leave an existing folder unchanged."""
    try:
        path.mkdir(mode=_OWNER_ONLY_FOLDER, exist_ok=True)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=_OWNER_ONLY_FOLDER, exist_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder that only its owner may enter. It gets its name when the block ends without an error."""
    partial = folder.with_name(f".{folder.name}.{token_hex(4)}.part")
    make_folder(partial)
    try:
        yield partial
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def open_new(path: Path, *, is_replaced: bool = False) -> int:
    """Create a file that only its owner may read, whatever the umask; return its descriptor.

    Raises `FileExistsError`, unless `is_replaced`, which empties an existing file.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if is_replaced else os.O_EXCL), _OWNER_ONLY)
    os.fchmod(handle, _OWNER_ONLY)
    return handle


def make_file(path: Path) -> None:
    """Create the empty file of a database unless it exists: SQLite gives its log files the same mode."""
    try:
        os.close(open_new(path))
    except FileExistsError:
        return
