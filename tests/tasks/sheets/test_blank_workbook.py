"""A blank workbook offers this account's data, and is useful without the provider, too."""

import asyncio
import zipfile
from pathlib import Path

import openpyxl
import pytest

from domain.problems import FaturistaError
from tasks.sheets.blank_workbook import NAMES, BlankWorkbook, write_template
from tests.tasks.rows import RIO, company
from tests.tasks.store import RIO_SHOP, Store
from tests.tasks.workshop import PROFILE, Workshop


def write(kind: str, output: Path | None, *, emitter: str | None = None) -> BlankWorkbook:
    return asyncio.run(write_template(PROFILE, kind, emitter_cnpj=emitter, output=output))


def lists(path: Path) -> dict[str, list[str]]:
    page = openpyxl.load_workbook(path)["Lists"]
    columns = [[str(cell) for cell in column if cell is not None] for column in page.iter_cols(values_only=True)]
    return {name: choices for name, *choices in columns}


def test_services_offer_the_accounts_emitters_and_templates(shop: Workshop, tmp_path: Path):
    written = write("services", tmp_path)
    assert written == BlankWorkbook(tmp_path / "modelo-servicos.xlsx", has_lists=True)
    offered = lists(written.path)
    assert offered["CNPJ Emitente"] == ["99.000.001/0001-01", "99.000.002/0001-48"]
    assert {"Consultoria", "Mensalidade Sistema"} <= set(offered["Modelo"])
    one = lists(write("services", tmp_path / "um.xlsx", emitter=RIO).path)
    assert one["CNPJ Emitente"] == ["99.000.001/0001-01"]
    assert "Consultoria" in one["Modelo"]


def test_products_offer_the_shops_and_the_everyday_choices(store: Store, tmp_path: Path):
    offered = lists(write("products", tmp_path, emitter=RIO_SHOP).path)
    assert offered["CNPJ Emitente"] == ["99.000.051/0001-80"]
    assert offered["Tipo de Nota"] == ["NF-e", "NFC-e"]
    assert offered["CST PIS"] == ["01", "07", "49", "99"]


def test_customers_need_nobody(shop: Workshop, tmp_path: Path):
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    assert write("takers", tmp_path).has_lists
    assert shop.asked("emitters.list") == 0


def test_without_the_provider_it_is_written_without_its_lists(shop: Workshop, tmp_path: Path):
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    written = write("services", tmp_path)
    assert not written.has_lists
    assert list(lists(written.path)) == ["UF"]


@pytest.mark.parametrize("kind", NAMES)
def test_no_text_shows_the_escape_of_a_brace(shop: Workshop, tmp_path: Path, kind: str):
    with zipfile.ZipFile(write(kind, tmp_path / "blank.xlsx").path) as parts:
        texts = {name: parts.read(name).decode() for name in parts.namelist() if name.endswith(".xml")}
    assert [name for name, text in texts.items() if "{{" in text] == []


def test_refusals_are_words(shop: Workshop, tmp_path: Path):
    for code, options in {
        "emitter.unknown": {"output": tmp_path, "emitter": company(7).number},
        "blank.no_folder": {"output": tmp_path / "nowhere" / "x.xlsx"},
    }.items():
        with pytest.raises(FaturistaError) as refused:
            write("services", **options)  # type: ignore[arg-type]
        assert refused.value.problem.code == code
    write("takers", tmp_path)
    with pytest.raises(FaturistaError) as refused:
        write("takers", tmp_path)
    assert refused.value.problem.code == "blank.exists"


def test_templates_offer_the_companies_and_emitters_need_nobody(shop: Workshop, tmp_path: Path):
    offered = lists(write("templates", tmp_path).path)
    assert offered == {"CNPJ Emitente": ["99.000.001/0001-01", "99.000.002/0001-48"], "ISS Retido": ["Sim", "Não"]}
    before = shop.asked("emitters.list")
    assert set(lists(write("emitters", tmp_path).path)) == {"UF", "Optante pelo Simples"}
    assert shop.asked("emitters.list") == before
