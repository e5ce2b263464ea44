"""A person at a terminal: a typed command and its result."""

import io
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from flows.arguments import console
from flows.cli import main
from tests.flows.witness import Witness, witness_of
from tests.sandboxes import ROOT

_COLUMNS = 250


@dataclass(frozen=True)
class Ended:
    """How a command ended. `output` and `errors` are what it prints on one line each; `raw` is its unchanged output."""

    code: int
    output: str
    errors: str
    raw: str = ""


@dataclass(frozen=True)
class Terminal:
    """A terminal wide enough for every line."""

    _output: pytest.CaptureFixture[str]
    _patch: pytest.MonkeyPatch
    _witness: Witness | None = None

    def __call__(self, *command: object, typed: str = "") -> Ended:
        """The command in this process."""
        if self._witness is None:
            return self._run(*command, typed=typed)
        with self._witness.watching(command):
            return self._run(*command, typed=typed)

    def _run(self, *command: object, typed: str = "") -> Ended:
        self._patch.setattr(sys, "stdin", io.StringIO(typed))
        self._output.readouterr()
        code: int | str | None = 0
        try:
            main([str(part) for part in command])
        except SystemExit as ended:
            code = ended.code
        output, errors = self._output.readouterr()
        return Ended(int(code or 0), _in_one_line(output), _in_one_line(errors), output + errors)

    @staticmethod
    def aside(*command: object) -> Ended:
        """Run the command in a separate process, with all output of its libraries, too."""
        asked = [sys.executable, "-c", "from flows.cli import main; main()", *map(str, command)]
        ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        return Ended(ended.returncode, _in_one_line(ended.stdout), _in_one_line(ended.stderr))


@pytest.fixture
def terminal(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Terminal]:
    """Whatever a command sets in the environment is gone afterwards. What the test claims to reach is compared."""
    kept = dict(os.environ)
    # For commands in separate processes, and for ours, whose console may be older than this test.
    monkeypatch.setenv("COLUMNS", str(_COLUMNS))
    monkeypatch.setattr(console, "width", _COLUMNS)
    # Make Prefect as quiet as a command does: here another test may have loaded it first.
    logging.disable(logging.ERROR)
    witness = witness_of(request)
    yield Terminal(capsys, monkeypatch, witness)
    logging.disable(logging.NOTSET)
    for name in os.environ.keys() - kept.keys() - {"COLUMNS"}:
        del os.environ[name]
    if witness is not None:
        witness.compare()


def _in_one_line(text: str) -> str:
    return " ".join(re.sub("[│┃━╇]", " ", text).split())
