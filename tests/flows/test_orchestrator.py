"""Prefect for a person at a terminal: its files in our folder, nothing sent home, and what was set stays set."""

import os
from pathlib import Path

import pytest

from flows.orchestrator import prepare


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
