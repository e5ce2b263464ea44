"""A person at a terminal: a command typed, and what came of it."""

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
    """How a command ended. `said` and `complained` are what it wrote, in one line each; `raw` is all, as it was."""

    code: int
    said: str
    complained: str
    raw: str = ""


@dataclass(frozen=True)
class Terminal:
    """Wide enough that no line is broken."""

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
        said, complained = self._output.readouterr()
        return Ended(int(code or 0), _in_one_line(said), _in_one_line(complained), said + complained)

    @staticmethod
    def aside(*command: object) -> Ended:
        """The command as a process of its own, with whatever its libraries say, too."""
        asked = [sys.executable, "-c", "from flows.cli import main; main()", *map(str, command)]
        ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        return Ended(ended.returncode, _in_one_line(ended.stdout), _in_one_line(ended.stderr))


@pytest.fixture
def terminal(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Terminal]:
    """Whatever a command sets in the environment is gone afterwards. What the test claims to reach is compared."""
    kept = dict(os.environ)
    # for commands of their own process, and for ours, whose console may have been made long before this test
    monkeypatch.setenv("COLUMNS", str(_COLUMNS))
    monkeypatch.setattr(console, "width", _COLUMNS)
    # as quiet as a command keeps the orchestrator that it loads: here whichever test came first has loaded it
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
