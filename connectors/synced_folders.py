"""Make file names survive a power failure: syncing a file saves its bytes, but not its entry in the folder."""

import errno
import os
from pathlib import Path
from typing import Final

_CANNOT: Final = frozenset({errno.EINVAL, errno.EOPNOTSUPP})
"""Errors of file systems that sync no folders, such as some network shares."""


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to the disk. Call it before you remove what a new entry replaces. Raises `OSError`.

    Does nothing on a file system that cannot sync folders.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(handle)
