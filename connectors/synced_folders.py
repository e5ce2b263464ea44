"""Make the names of files survive a power failure: syncing a file keeps its bytes, but not its place in the folder."""

import errno
import os
from pathlib import Path
from typing import Final

_CANNOT: Final = frozenset({errno.EINVAL, errno.EOPNOTSUPP})
"""Errors of file systems that sync no folders, such as some network shares."""


def sync_folder(folder: Path) -> None:
    """Write the folder's names to the disk, before something is removed that only they replace. Raises `OSError`."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(handle)
