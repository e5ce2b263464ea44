"""Prefect for a person at a terminal: its files in our folder, no telemetry, no changed setting.

A missing server is reported in words.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from prefect.exceptions import PrefectException

from flows.orchestrator import check_server, prepare, run
from flows.server_errors import OrchestratorUnavailable
from tests.servers import free_port


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Yield an environment without any setting of Prefect; restore it afterwards."""
    for name in [name for name in os.environ if name.startswith(("PREFECT_", "DO_NOT_TRACK"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.usefixtures("bare")
def test_its_files_stay_in_our_folder_and_nothing_is_sent_home(tmp_path: Path):
    prepare(tmp_path / "var")
    assert Path(os.environ["PREFECT_HOME"]) == tmp_path / "var" / "prefect"
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert os.environ["DO_NOT_TRACK"] == "1"


@pytest.mark.usefixtures("bare")
def test_a_configured_server_is_kept(tmp_path: Path):
    os.environ["PREFECT_API_URL"] = "http://prefect.example/api"
    os.environ["PREFECT_LOGGING_LEVEL"] = "DEBUG"
    prepare(tmp_path)
    assert os.environ["PREFECT_API_URL"] == "http://prefect.example/api"
    assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"


async def fail(error: Exception) -> None:
    raise error


def test_a_missing_server_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch):
    port = free_port()
    monkeypatch.setenv("PREFECT_API_URL", f"http://ana:secret@127.0.0.1:{port}/api")
    with pytest.raises(OrchestratorUnavailable) as raised:
        run(fail(RuntimeError("Failed to reach API")))
    assert raised.value.problem.params == {"address": f"127.0.0.1:{port}"}


def test_an_answering_server_is_not_blamed_for_other_errors(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as there:
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{there.getsockname()[1]}/api")
        with pytest.raises(ZeroDivisionError):
            run(fail(ZeroDivisionError()))
        # It answers, and cannot work: its own database is unavailable.
        with pytest.raises(OrchestratorUnavailable):
            run(fail(PrefectException()))
    monkeypatch.delenv("PREFECT_API_URL")
    with pytest.raises(RuntimeError):
        run(fail(RuntimeError()))


@contextmanager
def answering(status: int) -> Iterator[str]:
    """Run an API that answers every request with one status. Yield its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the library's name

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/api"
        finally:
            server.shutdown()


PRODUCTION = {
    "FATURISTA_NFSE__BASE_URL": "https://provider.example",
    "FATURISTA_LEDGER__URL": "postgresql://db.example/x?sslmode=require",
    "FATURISTA_BACKUP__ALLOW_PLAIN": "true",
}


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("status", "key", "profile", "is_good"),
    [
        (200, "", "local", True),
        (200, "", "production", False),
        (200, "a:b", "production", False),
        (401, "", "production", False),
        (401, "a:b", "production", True),
    ],
)
def test_production_needs_an_api_closed_to_strangers(status: int, key: str, profile: str, is_good: bool):
    with answering(status) as address:
        os.environ |= {**PRODUCTION, "PREFECT_API_URL": address, "PREFECT_API_AUTH_STRING": key}
        assert asyncio.run(check_server(profile)).is_good is is_good


@pytest.mark.usefixtures("bare")
def test_without_a_server_commands_need_none():
    assert asyncio.run(check_server("local")).is_good
    os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{free_port()}/api"
    assert not asyncio.run(check_server("local")).is_good
