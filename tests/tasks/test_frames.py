"""Test the ledger's frames: their content and their types."""

import json
import re

import pandas as pd
import pytest

from tasks.frames import SCHEMAS, chunks, frame, joined, read_chunks
from tests.sandboxes import ROOT
from tests.tasks.contracts.sheets import contract, customer
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import RIO, company, lines, this_month
from tests.tasks.workshop import Workshop


@pytest.mark.both_databases
def test_a_months_invoices_are_typed(each_shop: Workshop):
    batch = each_shop.staged(3)
    with each_shop.context() as context:
        invoices = frame(context, "invoices", competence=this_month())
        batches = frame(context, "batches", competence=this_month())
        assert frame(context, "invoices", competence=this_month().replace(year=2020)).empty
        rows = frame(context, "rows")
    kinds = {name: str(kind) for name, kind in invoices.dtypes.items()}
    assert (kinds["emitter_cnpj"], kinds["service_cents"], kinds["emission_at"], kinds["competence"]) == (
        "string",
        "Int64",
        "datetime64[us, UTC]",
        "date32[day][pyarrow]",
    )
    assert list(invoices["service_cents"]) == [10_001, 10_002, 10_003]
    assert list(invoices["taker_document"]) == [company(n).number for n in (1, 2, 3)]
    assert set(invoices["competence"]) == {this_month()}
    assert (batches["id"].item(), batches["count"].item(), str(batches["approved_at"].dtype)) == (
        batch,
        3,
        "datetime64[us, UTC]",
    )
    assert set(rows["state"]) == {"assembled"}


def test_contracts_have_each_version(shop: Workshop, tmp_path):
    enter(shop, tmp_path, contract(1, Fim="31/12/2030"))
    with shop.context() as context:
        found = frame(context, "contracts")
    (line,) = found.to_dict("records")
    assert (line["key"], line["emitter_cnpj"], line["customer_document"], line["cents"]) == (
        "C-1",
        RIO,
        customer(1),
        10_001,
    )
    assert line["ends_on"].isoformat() == "2030-12-31"


@pytest.mark.parametrize("table", ["orders", "paid_invoices", "contracts", "rows"])
def test_an_empty_table_has_its_types(shop: Workshop, table):
    with shop.context() as context:
        found = frame(context, table)
    assert (list(found.columns), len(found)) == (SCHEMAS[table].names, 0)
    assert object not in set(found.dtypes)


def test_chunks_are_the_whole_table(shop: Workshop):
    shop.assembled(*lines(5))
    with shop.context() as context:
        parts = read_chunks(context, lambda pages: list(chunks(pages, "invoices", most=2)))
        whole = frame(context, "invoices")
    assert [len(part) for part in parts] == [2, 2, 1]
    pd.testing.assert_frame_equal(joined("invoices", iter(parts)), whole)


def test_the_document_names_every_column():
    text = (ROOT / "docs/frames.md").read_text(encoding="utf-8").partition("## Columns")[2]
    for table, schema in SCHEMAS.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `{table}` |")]
        assert re.findall(r"`(\w+)`", line.split("|")[2]) == schema.names, table


def test_the_notebook_runs(shop: Workshop):
    shop.processed(2)
    cells = json.loads((ROOT / "docs/frames.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    by_template = names["by_template"]
    assert isinstance(by_template, pd.DataFrame)
    assert by_template["service_cents"].tolist() == [20_003]
