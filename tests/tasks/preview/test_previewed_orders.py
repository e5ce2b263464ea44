"""A preview of orders lets the register tell an unclear document as billing does, for the whole order."""

import csv
from pathlib import Path
from typing import Final

import pytest

from configs.catalogue import Catalogue
from tasks.preview.dry_run import forecast_file
from tasks.preview.page import forecast_page
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.tasks.issuance.test_document_completion import AS_CNPJ, AS_CPF, COMPANY, NAME
from tests.tasks.products.test_unclear_customers import seeded
from tests.tasks.rows import this_month
from tests.tasks.store import RIO_SHOP, Store

WORDS: Final = Catalogue.load("en")
ASKED: Final = ReadingOptions(operator="Ana", emitter_cnpj=RIO_SHOP, competence=this_month())
HEADERS: Final = {
    "Pedido": "1", "Tipo de Nota": "NF-e", "CPF/CNPJ": AS_CPF, "Cliente": NAME, "Logradouro": "Rua A", "Número": "10",
    "Bairro": "Centro", "Cidade": "Rio de Janeiro", "UF": "RJ", "CEP": "20031-170", "Código": "CAN-01",
    "Produto": "Caneca", "NCM": "69120000", "CFOP": "5102", "Unidade": "UN", "Quantidade": "2",
    "Preço Unitário": "12,50", "CSOSN": "102", "CST PIS": "07", "CST COFINS": "07", "Forma de Pagamento": "Dinheiro",
}  # fmt: skip


def sheet(folder: Path, *orders: dict[str, str]) -> Path:
    """Write a sheet of lines, each with the usual cells unless it changes them."""
    path = folder / "vendas.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADERS, delimiter=";")
        writer.writeheader()
        writer.writerows(HEADERS | order for order in orders)
    return path


@pytest.mark.both_databases
def test_the_preview_bills_the_order_whose_customer_the_register_knows(each_store: Store, tmp_path: Path):
    store = each_store
    seeded(store, COMPANY)
    other = {"Pedido": "2", "Cliente": "Abc Sul"}
    path = sheet(tmp_path, {}, {"Código": "CAN-02"}, other, {**other, "CPF/CNPJ": "", "Cliente": ""})
    seen = store.run(forecast_file, path, ASKED)
    assert [(note.row_number, note.taker_document) for note in seen.notes] == [(2, AS_CNPJ)]
    assert {each.problem.code: each.rows for each in seen.reasons} == {
        "document.ambiguous": (4,),
        "product.order_blocked": (5,),
    }
    assert [each.cells(5) for each in seen.decisions if each.problem.code == "document.of_register"] == ["C2, C3"]
    assert store.writes() == []

    with store.context() as context:
        reading, _ = read_file(context, archive_file(context, path, kind="products"), ASKED)
    store.run(resolve_rows, reading)
    store.run(assemble_rows, reading)
    assert store.problems(reading) == {4: ["document.ambiguous"], 5: ["product.order_blocked"]}


def test_the_preview_shows_a_sale_over_the_counter_to_nobody(store: Store, tmp_path: Path):
    nobody = dict.fromkeys(("CPF/CNPJ", "Cliente", "Logradouro", "Número", "Bairro", "Cidade", "UF", "CEP"), "")
    counter = {"Tipo de Nota": "NFC-e", **nobody}
    named_below = [{**counter, "Pedido": "8"}, {"Tipo de Nota": "NFC-e", "Pedido": "8", "CPF/CNPJ": "990.000.001-30"}]
    seen = store.run(forecast_file, sheet(tmp_path, counter, *named_below), ASKED)
    assert ([note.row_number for note in seen.notes], seen.reasons) == ([2, 3], ())
    (remark,) = [each for each in seen.remarks if each.code == "preview.unnamed"]
    assert remark.params == {"count": 1, "orders": "1"}
    (largest,) = [each for each in forecast_page(WORDS, seen).sections if each.title == WORDS.text("preview.by_size")]
    assert next(iter(largest.rows))[0] == "(no name)"
