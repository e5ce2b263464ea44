"""Name why a file could not be read or written: the catalogue has the words, the system's own are in one language."""

import errno
from collections.abc import Mapping
from typing import Final

from domain.problems import FaturistaError, Problem

_FAULTS: Final[Mapping[int, str]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "too_large",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.EROFS: "read_only",
    errno.ENOENT: "no_folder",
    errno.ENOTDIR: "no_folder",
    errno.EEXIST: "no_folder",
    errno.EIO: "failing",
    errno.ESTALE: "failing",
}
_OF_ANY_FILE: Final = frozenset({"full", "too_large", "read_only"})
_OF_FILES_ALONE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE})
"""Errors that only files have: the others count where the error names a file, as a port may be forbidden, too."""


def disk_fault(error: OSError) -> str:
    """Return the name of the fault of a write: `disk.<name>` in the catalogue."""
    return _FAULTS.get(error.errno or 0, "failing")


def is_out_of_room(error: BaseException) -> bool:
    """Return whether any other write would fail, too: the disk is full, read-only or limits file sizes."""
    return isinstance(error, OSError) and disk_fault(error) in _OF_ANY_FILE


def may_pass(error: OSError) -> bool:
    """Return whether the same act may succeed later: its file is not too large, and nothing else is wrong with it."""
    return error.errno in _FAULTS and disk_fault(error) != "too_large"


def is_of_the_disk(error: OSError) -> bool:
    """Return whether the disk itself failed, whatever the file, its name and its permissions."""
    return error.errno in (errno.EIO, errno.ESTALE)


def in_words(error: BaseException) -> BaseException:
    """Return a disk's fault as an error with words, any other error as it is: any run may meet one, at any file."""
    if not isinstance(error, OSError) or error.errno not in _FAULTS:
        return error
    place = _path_of_error(error)
    if place:
        return FaturistaError(Problem("file.disk_at", params={"path": place, "disk": disk_fault(error)}))
    if error.errno in _OF_FILES_ALONE:
        return FaturistaError(Problem("file.disk", params={"disk": disk_fault(error)}))
    return error


def _path_of_error(error: OSError) -> str:
    """Return the file or folder that the error names, and the folder of an unfinished file, whose name says nothing."""
    name = error.filename2 or error.filename
    if not isinstance(name, str):
        return ""
    folder, _, last = name.rpartition("/")
    return folder if folder and last.startswith(".") else name
