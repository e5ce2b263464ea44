"""One worker at a time collects a module, so that one compiles it and the others load what it compiled.

On a fresh clone, Python compiles every module, and pytest rewrites the assertions of every test. All workers collect in
one order: without a lock, each of them would do this work for every module at the same moment.
"""

import fcntl
import zlib
from collections.abc import Iterator
from typing import IO, Any, Final

import pytest

from tests.ledgers import shared_folder

_OFFSETS: Final = 2**31


def pytest_configure(config: pytest.Config) -> None:
    """Lock only in a worker; a run without workers has nobody to wait for."""
    if hasattr(config, "workerinput"):
        locks = (shared_folder() / "collecting").open("w")
        config.add_cleanup(locks.close)
        config.pluginmanager.register(_Turns(locks))


class _Turns:
    def __init__(self, locks: IO[str]) -> None:
        self._locks = locks

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[Any]:
        """Hold one byte of the file for each collector: workers behind the first may read what it has finished."""
        offset = zlib.crc32(collector.nodeid.encode()) % _OFFSETS
        fcntl.lockf(self._locks, fcntl.LOCK_EX, 1, offset)
        try:
            return (yield)
        finally:
            fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, offset)
