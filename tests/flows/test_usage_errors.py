"""A mistyped command is explained in the operator's language, with a hint where help is."""

import socket
from importlib.metadata import version

import pytest

from tests.flows.terminal import Terminal
from tests.tasks.workshop import Workshop

ASKED = [
    (["biil"], 'There is no command "biil".', "faturista"),
    (["report", "orderz"], 'There is no command "orderz".', "faturista report"),
    (["bill"], "--file is missing.", "faturista bill"),
    (["bill", "--sheets", "A"], "This command has no option --sheets.", "faturista bill"),
    (["status", "now"], '"now" is one argument too many', "faturista status"),
    (["trace", "--note", "F-3"], '"F-3" does not fit --note: a whole number is needed.', "faturista trace"),
    (
        ["decide", "1", "go", "--because", "x"],
        "Use one of: open, discard, sent, seen, accepted, release.",
        "faturista decide",
    ),
    (["reconcile", "--until-done=maybe"], '"maybe" does not fit --until-done.', "faturista reconcile"),
    (["bill", "x.csv", "--sheet", "A", "--sheet", "B"], "--sheet", "faturista bill"),
]


@pytest.mark.parametrize(("asked", "message", "command"), ASKED)
def test_a_mistyped_command_is_named_with_a_hint_to_help(shop: Workshop, terminal: Terminal, asked, message, command):
    ended = terminal(*asked)
    assert (ended.code, ended.output) == (2, "")
    assert message in ended.errors
    assert ended.errors.endswith(f"{command} --help")


def test_a_usage_error_is_explained_in_portuguese(shop: Workshop, terminal: Terminal):
    shop.set(LANGUAGE="pt_BR")
    assert terminal("approve", "um").errors.startswith('"um" não serve em BATCHES: é preciso um número inteiro.')


def test_a_decision_says_why(shop: Workshop, terminal: Terminal):
    for command in (["decide", 1, "seen"], ["decide-note", 1, "retired"], ["ledger", "free"]):
        ended = terminal(*command, "--because", " ")
        assert (ended.code, "The reason is missing" in ended.errors) == (2, True)


def test_a_named_batch_that_does_not_wait_stops_the_approval(shop: Workshop, terminal: Terminal):
    batch = shop.staged(1)
    ended = terminal("approve", batch, batch + 1, "--yes")
    assert (ended.code, f"Batch {batch + 1} does not wait" in ended.errors) == (2, True)
    assert shop.batch(batch).state == "staged"


def test_a_missing_file_asks_nothing_of_the_provider(shop: Workshop, terminal: Terminal):
    for command in (["preview"], ["import", "takers"], ["import", "templates"], ["import", "emitters"]):
        ended = terminal(*command, "nada.xlsx")
        assert (ended.code, "nada.xlsx" in ended.errors) == (2, True)
    assert not shop.record()["requests"]


def test_a_sandbox_that_cannot_start_says_why(shop: Workshop, terminal: Terminal, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} cannot be used" in terminal("sandbox", "--port", port).errors
    assert "Port 99999 cannot be used" in terminal("sandbox", "--port", 99_999).errors
    (tmp_path / "file").touch()
    ended = terminal("sandbox", "--port", 0, "--state", tmp_path / "file" / "sandbox.db")
    assert (ended.code, "sandbox.db cannot be used" in ended.errors) == (2, True)


def test_the_version_is_that_of_the_distribution(terminal: Terminal):
    assert terminal("--version").output == version("faturista")
