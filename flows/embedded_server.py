"""Start the Prefect server of a command that has none: a process that ends with the command."""

import threading
from contextlib import suppress
from typing import Final

from prefect.server.api.server import SubprocessASGIServer

from domain.problems import Problem
from flows.server_errors import OrchestratorUnavailable, server_address

_EVERY_S: Final = 0.2
_START_AGAIN: Final = 3
"""The exit status of a server that could not begin, perhaps because its port was taken. Prefect starts another one."""
_MOST_STARTS: Final = 3


def start() -> None:
    """Start Prefect's embedded server and wait for it, unless the address of another server is set.

    Import this module after `orchestrator.prepare`. A busy machine takes minutes: only an ended server stops the wait.

    Raises:
        OrchestratorUnavailable: The server has ended, or did not answer in time.
    """
    if server_address():
        return
    server = SubprocessASGIServer()

    def begin() -> None:
        with suppress(Exception):
            server.start()

    # Prefect waits for an ended server as long as for a slow one, and starts one that cannot begin for ever again.
    waiting = threading.Thread(target=begin, daemon=True)
    waiting.start()
    started: set[int] = set()
    while waiting.is_alive():
        process = server.server_process
        if process is not None:
            started.add(process.pid)
            if process.poll() not in {None, _START_AGAIN} or len(started) > _MOST_STARTS:
                server.stop()
                break
        waiting.join(_EVERY_S)
    if waiting.is_alive() or not server.running:
        raise OrchestratorUnavailable(Problem("orchestrator.not_started"))
