"""Name why nothing could be written: the catalogue has the words, the system's own text is in another language."""

import errno
from collections.abc import Mapping
from typing import Final

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
}
_OF_ANY_FILE: Final = frozenset({"full", "too_large", "read_only"})


def disk_fault(error: OSError) -> str:
    """Return the name of the fault of a write: `disk.<name>` in the catalogue."""
    return _FAULTS.get(error.errno or 0, "failing")


def is_out_of_room(error: BaseException) -> bool:
    """Return whether any other write would fail, too: the disk is full, read-only or limits file sizes."""
    return isinstance(error, OSError) and disk_fault(error) in _OF_ANY_FILE
