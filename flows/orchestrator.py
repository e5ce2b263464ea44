"""Prefect, prepared for a person at a terminal: its files in the project's data folder, quiet, nothing sent home.

`prepare` must run before anything of Prefect is imported. Whoever has set a server or a setting of their own keeps it.
"""

import asyncio
import os
import socket
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from domain.problems import FaturistaError, Problem

T = TypeVar("T")

_KNOCK_S: Final = 5.0
_ITS_OWN: Final = frozenset({"prefect", "httpx", "httpcore", "websockets"})
"""Packages whose errors reach us from Prefect alone: our own connectors let none of them out."""


class OrchestratorAway(FaturistaError):
    """Prefect's server does not answer, or cannot work. What the stations did is in the ledger all the same."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a flow to its end. Raises `OrchestratorAway` where the server was lost, before it began or on the way."""
    try:
        return asyncio.run(work)
    except FaturistaError:
        raise
    except Exception as error:
        address = os.environ.get("PREFECT_API_URL", "")
        if not address or not (type(error).__module__.partition(".")[0] in _ITS_OWN or _is_silent(address)):
            raise
        raise OrchestratorAway(Problem("orchestrator.away", params={"address": _host(address)})) from error


def _is_silent(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection(
            (parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)), _KNOCK_S
        ):
            return False
    except OSError:
        return True


def _host(address: str) -> str:
    """Without a name or password that somebody wrote before it."""
    return urlsplit(address).netloc.rpartition("@")[2]


def prepare(home: Path) -> None:
    """Defaults for an embedded server that lives as long as this process; its database under `home`."""
    defaults = {
        "PREFECT_HOME": str((home / "prefect").resolve()),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
        "PREFECT_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
        # Larger batches cost the server a quarter of the time for each task run.
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
    }
    if "PREFECT_HOME" not in os.environ:
        # it makes the folder, but none above it; where nobody may, it says so itself
        with suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
