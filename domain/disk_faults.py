"""Name why the system could not read or write a file.

The catalogue has the sentences, because the operating system's are in one language only.
"""

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
"""Errors that only files have. Others count only if they name a file: opening a port may be forbidden, too."""


class DiskFailed(FaturistaError):
    """A disk is full, read-only or failing: nothing that the person typed or sent is wrong."""


def disk_fault(error: OSError) -> str:
    """Return the name of a disk fault; its sentence is `disk.<name>` in the catalogue."""
    return _FAULTS.get(error.errno or 0, "failing")


def is_out_of_room(error: BaseException) -> bool:
    """Return whether any other write would fail, too: the disk is full, read-only or limits file sizes."""
    return isinstance(error, OSError) and disk_fault(error) in _OF_ANY_FILE


def is_retryable(error: OSError) -> bool:
    """Return whether a retry may succeed later: this is a known disk fault, and the file is not too large."""
    return error.errno in _FAULTS and disk_fault(error) != "too_large"


def is_disk_failure(error: OSError) -> bool:
    """Return whether the disk itself failed, not the access to one file."""
    return error.errno in (errno.EIO, errno.ESTALE)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let a disk fault of the block name this path: a failed write or sync of an open file names none."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _OF_FILES_ALONE:
            error.filename = path
        raise


def in_words(error: BaseException) -> BaseException:
    """Return a disk fault as a `FaturistaError` with a catalogue sentence, and any other error unchanged."""
    if not isinstance(error, OSError) or error.errno not in _FAULTS:
        return error
    place = _path_of_error(error)
    is_of_disk = error.errno in _OF_FILES_ALONE
    if not place and not is_of_disk:
        return error
    params = {"path": place, "disk": disk_fault(error)} if place else {"disk": disk_fault(error)}
    problem = Problem("file.disk_at" if place else "file.disk", params=params)
    return DiskFailed(problem) if is_of_disk else FaturistaError(problem)


def _path_of_error(error: OSError) -> str:
    """Return the path that the error names, or an empty text.

    For an unfinished file (a name with a leading dot) return its folder: the file's name means nothing to a person.
    """
    name = error.filename2 or error.filename
    if not isinstance(name, str):
        return ""
    folder, _, last = name.rpartition("/")
    return folder if folder and last.startswith(".") else name
