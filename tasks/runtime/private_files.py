"""Read files with a secret that only their owner may read."""

import os
import stat
from pathlib import Path
from typing import Final

from domain.problems import FaturistaError, Problem

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_LARGEST: Final = 64 * 1024


def own_text(path: Path, *, missing: str, shared: str) -> str:
    """Return the text of a file.

    Raises `FaturistaError` with the code `missing` for an unreadable file, `shared` for a file that others may read.
    """
    try:
        with path.open("rb") as file:
            # Check the open file, not its path: nobody can replace the file in between.
            seen = os.fstat(file.fileno())
            content = file.read(_LARGEST)
    except OSError as error:
        raise FaturistaError(Problem(missing, params={"path": str(path)})) from error
    if seen.st_mode & _OTHERS:
        raise FaturistaError(Problem(shared, params={"path": str(path)}))
    return content.decode(errors="replace")
