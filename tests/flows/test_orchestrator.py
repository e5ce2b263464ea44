"""Prefect for a person at a terminal: its files in our folder, nothing sent home, what was set stays set, and a server
that is not there is told in words.
"""

import os
import socket
from pathlib import Path

import pytest
from prefect.exceptions import PrefectException

from flows.orchestrator import OrchestratorAway, prepare, run
from tests.servers import free_port


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment in which nobody has set anything of Prefect's; put back afterwards."""
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
def test_whoever_has_set_a_server_keeps_it(tmp_path: Path):
    os.environ["PREFECT_API_URL"] = "http://prefect.example/api"
    os.environ["PREFECT_LOGGING_LEVEL"] = "DEBUG"
    prepare(tmp_path)
    assert os.environ["PREFECT_API_URL"] == "http://prefect.example/api"
    assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"


async def fail(error: Exception) -> None:
    raise error


def test_a_server_that_is_not_there_is_said_without_its_password(monkeypatch: pytest.MonkeyPatch):
    port = free_port()
    monkeypatch.setenv("PREFECT_API_URL", f"http://ana:secret@127.0.0.1:{port}/api")
    with pytest.raises(OrchestratorAway) as raised:
        run(fail(RuntimeError("Failed to reach API")))
    assert raised.value.problem.params == {"address": f"127.0.0.1:{port}"}


def test_a_server_that_answers_is_not_to_blame_for_what_others_did(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as there:
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{there.getsockname()[1]}/api")
        with pytest.raises(ZeroDivisionError):
            run(fail(ZeroDivisionError()))
        # it answers, and cannot work: its own database is away
        with pytest.raises(OrchestratorAway):
            run(fail(PrefectException()))
    monkeypatch.delenv("PREFECT_API_URL")
    with pytest.raises(RuntimeError):
        run(fail(RuntimeError()))
