"""The user id identifies a person, and only that account can read a command's files."""

import os
import pwd
from pathlib import Path

import pytest

from flows.os_account import account_name
from tests.flows.terminal import Terminal
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import Workshop


def test_a_name_in_the_environment_is_not_believed(monkeypatch: pytest.MonkeyPatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "somebody-else")
    assert account_name() == pwd.getpwuid(os.getuid()).pw_name


def test_written_files_are_private(shop: Workshop, terminal: Terminal, tmp_path: Path):
    os.umask(0o000)
    sheet = write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2, Modelo="Errado")])
    assert terminal("preview", sheet).code == 0
    assert terminal("bill", sheet).code == 0
    written = [path for path in (shop.home / "outbox").rglob("*") if path.is_file()]
    written += [path for path in (shop.home / "archive").rglob("*") if path.is_file()]
    assert len(written) >= 3
    assert [path for path in written if path.stat().st_mode & 0o077] == []
