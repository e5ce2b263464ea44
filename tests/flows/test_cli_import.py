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
    assert "would create 1 customer and change: nothing. Are so already: 0." in shown.output
    assert "With a problem, not written: 1." in shown.output
    assert "--apply" in shown.output
    done = terminal("import", "takers", path, "--apply")
    assert "Created: 1 customer." in done.output
    changed = sheet(tmp_path / "mudou.csv", row(1, "Um Ltda", "b@um.example", "Rua Nova"))
    would = terminal("import", "takers", changed).output
    assert "a@um.example → b@um.example" in would
    assert "change: 1 address, 1 e-mail" in would
    assert terminal("import", "takers", tmp_path / "nada.csv").code == 2


def test_an_e_mail_that_the_provider_does_not_keep_is_reported(shop: Workshop, terminal: Terminal, tmp_path: Path):
    """Of a new customer, of one that stays as it is, and of one that changes."""
    text = "this does not go there:"
    path = sheet(tmp_path / "clientes.csv", row(1, "Um Ltda", "a@um.example / b@um.example"))
    assert f"{text} b@um.example" in terminal("import", "takers", path, "--apply").output
    assert f"{text} b@um.example" in terminal("import", "takers", path).output
    other = sheet(tmp_path / "mudou.csv", row(1, "Um Ltda", "c@um.example/d@um.example"))
    assert f"{text} d@um.example" in terminal("import", "takers", other).output
    one = sheet(tmp_path / "um.csv", row(1, "Um Ltda", "c@um.example"))
    assert text not in terminal("import", "takers", one).output


def test_how_the_sheet_was_read_is_shown_before_anything_else(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = tmp_path / "clientes.csv"
    path.write_text(f"CNPJ;Razão Social;Razao Sociall;Cor\n{company(1).number};Um Ltda;x;azul\n")
    output = terminal("import", "takers", path).output
    assert 'A "CNPJ" → CPF/CNPJ' in output
    assert 'The column "Cor" is not known and was not used.' in output
    assert 'The column "Razao Sociall" was not used' in output
    assert output.index('"Cor" is not known') < output.index("would create")


def test_templates_are_shown_first_and_written_when_asked_to(shop: Workshop, terminal: Terminal, tmp_path: Path):
    path = template_sheet(tmp_path / "m.csv", template("Plano Novo"), template("Consultoria", "", "4%", *[""] * 6))
    shown = terminal("import", "templates", path)
    assert shown.code == 0
    assert "would create 1 template and change 1. Are so already: 0." in shown.output
    assert "ISS rate: 5,00% → 4,00%" in shown.output
    assert "--apply" in shown.output
    assert writes(shop) == []
    assert "Created: 1 template. Changed: 1." in terminal("import", "templates", path, "--apply").output
    assert "Are so already: 2." in terminal("import", "templates", path).output
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
    assert "would change 1 company. Are so already: 0. With a problem, not written: 2." in shown.output
    assert "its digital certificate, which never travels in a sheet" in shown.output
    assert "column H: This row has a certificate or a password." in shown.output
    assert writes(shop) == []
    done = terminal("import", "emitters", path, "--apply")
    assert "Changed: 1 company." in done.output
    assert writes(shop) == ["PATCH"]
    assert secret not in shown.output + shown.errors + done.output + done.errors


def test_a_workbook_that_was_not_filled_in_is_one_sentence(shop: Workshop, terminal: Terminal, tmp_path: Path):
    for kind in ("templates", "emitters"):
        path = tmp_path / f"{kind}.xlsx"
        assert terminal("template", kind, "--output", path).code == 0
        dropped = terminal("import", kind, path, "--apply")
        assert dropped.code != 0
        assert "No row has been filled in below the header yet." in dropped.errors + dropped.output
        assert "Traceback" not in dropped.errors
    assert writes(shop) == []
