"""Create files and folders that only their owner may read, for everything that the ledger writes."""

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
    """Create a folder that only its owner may enter, and missing parents; leave an existing folder unchanged."""
    try:
        path.mkdir(mode=_OWNER_ONLY_FOLDER, exist_ok=True)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=_OWNER_ONLY_FOLDER, exist_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, and rename it to `folder` at the end of the block.

    Only its owner may enter it. Delete it if the block raises.
    """
    partial = folder.with_name(f".{folder.name}.{token_hex(4)}.part")
    make_folder(partial)
    try:
        yield partial
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def open_new(path: Path, *, is_replaced: bool = False) -> int:
    """Create a file that only its owner may read, whatever the umask. Return its descriptor.

    An existing file is emptied with `is_replaced`; otherwise raises `FileExistsError`.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if is_replaced else os.O_EXCL), _OWNER_ONLY)
    os.fchmod(handle, _OWNER_ONLY)
    return handle


def make_file(path: Path) -> None:
    """Create an empty database file that only its owner may read, unless it exists. SQLite's log files get its mode."""
    try:
        os.close(open_new(path))
    except FileExistsError:
        return
