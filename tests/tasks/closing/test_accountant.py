"""One line for each invoice, as the accountant's system reads it."""

from datetime import timedelta
from pathlib import Path

import pytest

from configs.layouts import accountant_layouts
from connectors.ledger import invoices
from domain.competence import add_months
from domain.problems import FaturistaError
from tasks.closing.accountant import write_accountant_file
from tasks.closing.close import ClosedMonth, close_month
from tests.tasks.closing.months import LAST_MONTH, billed_last_month
from tests.tasks.rows import RIO, company
from tests.tasks.workshop import Workshop


@pytest.mark.parametrize("name", accountant_layouts())
def test_each_layout_says_its_source_and_known_columns(name: str):
    layout = accountant_layouts()[name]
    assert layout["source"]
    assert len({field["name"] for field in layout["fields"]}) == len(layout["fields"])


def test_a_closed_month_is_written_in_each_layout(shop: Workshop, tmp_path: Path):
    billed_last_month(shop)
    with shop.context() as context:
        made = close_month(context, LAST_MONTH, person="Ana")
        assert isinstance(made, ClosedMonth)
        paths = {name: write_accountant_file(context, made.closing, name, tmp_path) for name in accountant_layouts()}
        with pytest.raises(FaturistaError) as raised:
            write_accountant_file(context, made.closing, "../x", tmp_path)
    assert raised.value.problem.code == "closing.unknown_layout"
    establishment, *services = paths["efd_a100"].read_text(encoding="latin-1").splitlines()
    assert establishment == f"|A010|{RIO}|"
    cells = services[2].split("|")
    assert (len(services), len(cells)) == (3, 23)
    assert cells[1:6] == ["A100", "1", "0", company(3).number, "00"]
    assert cells[11:13] == [f"{add_months(LAST_MONTH, 1) - timedelta(days=1):%d%m%Y}", "5000,00"]
    first, *more = paths["efd_f600"].read_text(encoding="latin-1").splitlines()
    assert first == f"|F010|{RIO}|"
    withheld = [line.split("|") for line in more]
    taxes = paths["taxes"].read_text(encoding="utf-8-sig").splitlines()
    header = taxes[0].split(";")
    lines = [dict(zip(header, line.split(";"), strict=True)) for line in taxes[1:]]
    assert [line["Valor"] for line in lines] == ["100,01", "100,02", "5000,00"]
    assert [(line[9], line[10]) for line in withheld] == [
        (line["PIS retido"], line["COFINS retida"]) for line in lines if line["PIS retido"] != "0,00"
    ]
    assert len(withheld) == 1


def test_a_cancelled_service_has_only_the_guides_fields(shop: Workshop, tmp_path: Path):
    batch = billed_last_month(shop)
    gone = shop.read(invoices.invoices_of, batch)[0]
    shop.tamper(f"UPDATE invoices SET state = 'cancelled', is_living = false WHERE id = {gone.id}")
    shop.tamper(
        f"UPDATE events SET becomes = 'cancelled' WHERE {gone.id} BETWEEN first_id AND last_id AND becomes = 'accepted'"
    )
    with shop.context() as context:
        made = close_month(context, LAST_MONTH, person="Ana")
        assert isinstance(made, ClosedMonth)
        path = write_accountant_file(context, made.closing, "efd_a100", tmp_path)
    cells = path.read_text(encoding="latin-1").splitlines()[1].split("|")
    assert cells[1:6] == ["A100", "1", "0", company(1).number, "02"]
    assert (bool(cells[8]), set(cells[9:])) == (True, {""})
