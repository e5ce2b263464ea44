"""Run a flow for a command: on a Prefect server if its address is set, else plainly in this process.

Call `prepare` before anything imports Prefect. It never replaces a setting that is already made.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from urllib.parse import urlsplit

from configs.catalogue import Catalogue
from configs.load import load_settings
from domain.problems import FaturistaError
from flows.runner import DirectRunner, Runner
from flows.server_errors import OrchestratorUnavailable, host_of, is_prefect_error, server_address, unavailable_problem
from tasks.monitoring.checks import Finding

P = ParamSpec("P")
T = TypeVar("T")

_CONNECT_S: Final = 5.0


def start_notice(words: Catalogue) -> str:
    """Return one line on how a flow will run."""
    address = server_address()
    return words.text("cli.with_server", address=host_of(address)) if address else words.text("cli.without_server")


def run_flow(order: Callable[Concatenate[Runner, P], Awaitable[T]], home: Path, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a flow to its end.

    Args:
        order: The flow's plain function.
        home: The project's data folder.
        args: The flow's arguments, without the runner.
        kwargs: As `args`.

    Raises:
        OrchestratorUnavailable: Prefect's server was lost, before or during the flow.
    """
    if server_address():
        prepare(home)
        # A person waits: Prefect's usual five repetitions take a minute for each report to a lost server.
        os.environ.setdefault("PREFECT_CLIENT_MAX_RETRIES", "3")
        from flows.prefect_flows import start  # noqa: PLC0415 - Prefect takes seconds to import

        made: T = run(start(order, *args, **kwargs))
        return made
    return asyncio.run(_run_plainly(order, *args, **kwargs))


async def _run_plainly(order: Callable[Concatenate[Runner, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    return await order(DirectRunner(), *args, **kwargs)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a Prefect flow to its end. Raise `OrchestratorUnavailable` if Prefect's server was lost."""
    try:
        return asyncio.run(work)
    except FaturistaError:
        raise
    except Exception as error:
        address = server_address()
        if not address or not (is_prefect_error(error) or _is_silent(address)):
            raise
        raise OrchestratorUnavailable(unavailable_problem(address)) from error


async def check_server(profile: str) -> Finding:
    """Check that Prefect's API refuses requests without credentials, at least in production."""
    address = server_address()
    settings = load_settings(profile)
    words = Catalogue.load(settings.language)
    if not address:
        return Finding("orchestrator", is_good=True, detail=words.text("doctor.no_server"))
    status = await asyncio.to_thread(_ask_as_stranger, f"{address.rstrip('/')}/admin/version")
    if status is None:
        return Finding("orchestrator", is_good=False, detail=words.text("doctor.server_away", address=host_of(address)))
    is_closed = status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
    if not is_closed:
        code, is_good = "doctor.server_open", not settings.is_production
    elif os.environ.get("PREFECT_API_AUTH_STRING"):
        code, is_good = "doctor.server_closed", True
    else:
        code, is_good = "doctor.server_no_key", False
    return Finding("orchestrator", is_good=is_good, detail=words.text(code, address=host_of(address)))


def _ask_as_stranger(url: str) -> int | None:
    """Return the status of a request without credentials, or None without an answer."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.hostname or "", parts.port, timeout=_CONNECT_S)) as connection:
        try:
            connection.request("GET", parts.path)
            return connection.getresponse().status
        except (OSError, HTTPException):
            return None


def _is_silent(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection(
            (parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)), _CONNECT_S
        ):
            return False
    except OSError:
        return True


def prepare(home: Path) -> None:
    """Set defaults for Prefect: logs for its server alone, no telemetry, an embedded server's database under `home`."""
    defaults = {
        "PREFECT_HOME": str((home / "prefect").resolve()),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "900",
        # Only the command writes to the screen. The log is on the run's page in the dashboard.
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
        "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
        # A lost server ends a command with our sentence; Prefect's services would print each event that they lost.
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "faturista",
        # Larger batches of events reduce the server's time for each task run to a quarter.
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
    }
    if "PREFECT_HOME" not in os.environ:
        # Prefect creates this folder but no folder above it; it reports a missing permission itself.
        with suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
