"""The processes that a test's own process has started."""

import os
from pathlib import Path


def children_running(module: str) -> list[int]:
    """Those that run `python -m module`, by their ids."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            words = (status.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent == os.getpid() and module.encode() in words:
            found.append(int(status.parent.name))
    return found
