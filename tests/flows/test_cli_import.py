"""Master data from a sheet at the terminal: first the plan, then its execution."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.master_data.test_emitters import row as emitter
from tests.tasks.master_data.test_emitters import sheet as emitter_sheet
from tests.tasks.master_data.test_takers import row, sheet, writes
from tests.tasks.master_data.test_templates import row as template
from tests.tasks.master_data.test_templates import sheet as template_sheet
from tests.tasks.rows import RIO, company
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


def test_an_e_mail_that_the_provider_does_not_keep_is_told(shop: Workshop, terminal: Terminal, tmp_path: Path):
    """Of a new customer, of one that stays as it is, and of one that changes."""
    said = "this does not go there:"
    path = sheet(tmp_path / "clientes.csv", row(1, "Um Ltda", "a@um.example / b@um.example"))
    assert f"{said} b@um.example" in terminal("import", "takers", path, "--apply").said
    assert f"{said} b@um.example" in terminal("import", "takers", path).said
    other = sheet(tmp_path / "mudou.csv", row(1, "Um Ltda", "c@um.example/d@um.example"))
    assert f"{said} d@um.example" in terminal("import", "takers", other).said
    one = sheet(tmp_path / "um.csv", row(1, "Um Ltda", "c@um.example"))
    assert said not in terminal("import", "takers", one).said


def test_how_the_sheet_was_read_is_shown_before_anything_else(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = tmp_path / "clientes.csv"
    path.write_text(f"CNPJ;Razão Social;Razao Sociall;Cor\n{company(1).number};Um Ltda;x;azul\n")
    output = terminal("import", "takers", path).said
    assert 'A "CNPJ" → CPF/CNPJ' in output
    assert 'The column "Cor" is not known and was not used.' in output
    assert 'The column "Razao Sociall" was not used' in output
    assert output.index('"Cor" is not known') < output.index("would create")


def test_templates_are_shown_first_and_written_when_asked_to(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = template_sheet(tmp_path / "m.csv", template("Plano Novo"), template("Consultoria", "", "4%", *[""] * 6))
    shown = terminal("import", "templates", path)
    assert shown.code == 0
    assert "would create 1 template(s) and change 1. Are so already: 0." in shown.said
    assert "ISS rate: 5,00% → 4,00%" in shown.said
    assert "--apply" in shown.said
    assert writes(shop) == []
    assert "Created: 1 template(s). Changed: 1." in terminal("import", "templates", path, "--apply").said
    assert "Are so already: 2." in terminal("import", "templates", path).said
    assert sorted(writes(shop)) == ["PATCH", "POST"]


def test_emitters_are_changed_and_never_created(shop: Workshop, terminal: Terminal, tmp_path: Path):
    secret = "abre-te-sesamo"
    path = emitter_sheet(
        tmp_path / "e.csv",
        emitter(RIO, "", "notas@mares.example"),
        emitter(company(7).number, "Outra Ltda"),
        emitter(RIO, *[""] * 6, secret),
    )
    shown = terminal("import", "emitters", path)
    assert "would change 1 company(ies). Are so already: 0. With a problem, not written: 2." in shown.said
    assert "its digital certificate, which never travels in a sheet" in shown.said
    assert "column H: This row has a certificate or a password." in shown.said
    assert writes(shop) == []
    done = terminal("import", "emitters", path, "--apply")
    assert "Changed: 1 company(ies)." in done.said
    assert writes(shop) == ["PATCH"]
    assert secret not in shown.said + shown.complained + done.said + done.complained


def test_a_workbook_that_was_not_filled_in_is_one_sentence(shop: Workshop, terminal: Terminal, tmp_path: Path):
    for kind in ("templates", "emitters"):
        path = tmp_path / f"{kind}.xlsx"
        assert terminal("template", kind, "--output", path).code == 0
        dropped = terminal("import", kind, path, "--apply")
        assert dropped.code != 0
        assert "No row has been filled in below the header yet." in dropped.complained + dropped.said
        assert "Traceback" not in dropped.complained
    assert writes(shop) == []
