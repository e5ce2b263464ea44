"""The bench of small commands: each ends well, and its figures are compared with a bare Python."""

from pathlib import Path

from tests.load import startup
from tests.load.startup import Took


def test_each_command_is_measured():
    names = [(row.name, row.target) for row in startup.rows(rounds=1)]
    assert names == [("P14", 0.4), ("P14", 1.2), ("P14", 4.0)]


def test_the_row_compares_with_a_bare_python():
    row = startup.row("x", [Took(0.5, 0.3), Took(0.3, 0.2), Took(0.4, 0.25)], 0.4, [Took(0.1, 0.1)], "more")
    assert (row.measured, row.is_met, row.remarks[1:]) == (0.4, True, ("more",))
    assert row.remarks[0] == "4 times a bare python -c pass; 0.25 s of one processor"


def test_no_server_of_the_tester_is_used(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    assert "PREFECT_API_URL" not in startup.environment_of(tmp_path, "http://127.0.0.1:9")
