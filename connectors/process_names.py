"""Names of processes, by which another process of the same machine can see that one has ended."""

import os
from functools import cache
from pathlib import Path

_STARTED = 19
"""Index of the start time among the fields of `/proc/PID/stat` after the process's name."""


def process_name() -> str:
    """Return a name of this process that no other process ever has: machine, process id and start time."""
    pid = os.getpid()
    return f"{_machine()}:{pid}-{_start_time(pid)}"


def has_ended(name: str) -> bool:
    """Return whether a process has certainly ended. A process of another machine is never known to have ended."""
    machine, _, process = name.rpartition(":")
    pid, _, started = process.partition("-")
    return machine == _machine() and _start_time(int(pid)) != started


@cache
def _machine() -> str:
    """Return the boot id and the PID namespace: process ids are unique only within both."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}-{Path('/proc/self/ns/pid').stat().st_ino}"


def _start_time(pid: int) -> str:
    """Return the start time of a process in clock ticks since the boot; an empty text if the process is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()
    # A zombie no longer runs, and its sockets are closed.
    return "" if fields[0] in {"Z", "X"} else fields[_STARTED]
