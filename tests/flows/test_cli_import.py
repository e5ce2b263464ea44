"""Customers from a sheet at the terminal: first what it would do, then doing it."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.master.test_takers import row, sheet
from tests.tasks.workshop import Workshop


def test_shown_first_and_written_when_asked_to(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = sheet(tmp_path / "clientes.csv", row(1, "Um Ltda", "a@um.example"), row(1, "Um Ltda"), ["x", "Ninguém"])
    shown = terminal("import", "takers", path)
    assert shown.code == 0
    assert "would create 1 customer(s) and change: nothing. Are so already: 0." in shown.said
    assert "With a problem, not written: 1." in shown.said
    assert "--apply" in shown.said
    done = terminal("import", "takers", path, "--apply")
    assert "Created: 1 customer(s)." in done.said
    changed = sheet(tmp_path / "mudou.csv", row(1, "Um Ltda", "b@um.example", "Rua Nova"))
    would = terminal("import", "takers", changed).said
    assert "a@um.example → b@um.example" in would
    assert "change: 1 address(es), 1 e-mail(s)" in would
    assert terminal("import", "takers", tmp_path / "nada.csv").code == 2
