"""A row that corrects a contract's charge is still that charge, whatever a person typed into it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import openpyxl
import pytest

from connectors.ledger.contracts import sheets_of
from connectors.ledger.rows import RowRecord
from domain.competence import add_months
from domain.states import RowState
from tasks.contracts.changes import end_contract
from tasks.contracts.month import charges_of_month
from tasks.corrections.workbook import write_back
from tests.flows.test_monthly_billing import bill as bill_month
from tests.flows.test_monthly_billing import enter
from tests.tasks.contracts.sheets import contract
from tests.tasks.corrections.rounds import bill, issue
from tests.tasks.rows import SAO_PAULO, this_month
from tests.tasks.workshop import Workshop, codes

GOOD: Final = {"Modelo": "Mensalidade Sistema"}
PREVIOUS: Final = {"Competência": f"{add_months(this_month(), -1):%m/%Y}"}
CLEARED: Final = {"Chave": None, "Contrato": None}


def refused(shop: Workshop, folder: Path) -> Path:
    """Bill a contract whose template is unknown. Return the correction workbook of its row."""
    enter(shop, folder, contract(1, Modelo="Mensalidade Sistemas"))
    (reading,) = bill_month()
    assert shop.problems(reading) == {2: ["template.near"]}
    (sheet,) = shop.read(sheets_of, this_month())
    with shop.context() as context:
        found = write_back(context, sheet)
    assert found is not None
    return found.path


def corrected(shop: Workshop, path: Path, target: Path, changes: Mapping[str, str | None]) -> RowRecord:
    """Type these values into the workbook and drop it. Return its row."""
    book = openpyxl.load_workbook(path)
    page = book.worksheets[0]
    head = next(number for number, cells in enumerate(page.values, start=1) if "Modelo" in cells)
    columns = {cell.value: column for column, cell in enumerate(page[head], start=1)}
    for header, text in changes.items():
        page.cell(head + 1, columns[header]).value = text
    book.save(target)
    (found,) = bill(shop, target)
    return found


@pytest.mark.parametrize("changes", [{}, PREVIOUS, CLEARED | {"Modelo": "Consultoria"}, CLEARED | PREVIOUS])
def test_a_corrected_row_bills_its_contracts_charge(
    each_shop: Workshop, tmp_path: Path, changes: dict[str, str | None]
) -> None:
    shop = each_shop
    row = corrected(shop, refused(shop, tmp_path), tmp_path / "certo.xlsx", GOOD | changes)
    assert row.state is RowState.ASSEMBLED
    issue(shop)
    enter(shop, tmp_path, contract(1))
    assert (bill_month(), bill_month(catch_up=True), len(shop.there())) == ([], [], 1)
    with shop.context() as context:
        assert [each.status for each in charges_of_month(context, this_month())] == ["billed"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"Chave": "C 0001", "Contrato": "0001"}, "contract.other_row"),
        ({"Contrato": "C-9", "Chave": None}, "contract.other_row"),
        ({"CNPJ Emitente": SAO_PAULO}, "contract.other_company"),
    ],
)
def test_a_row_that_names_another_charge_stays_refused(
    each_shop: Workshop, tmp_path: Path, changes: dict[str, str], code: str
) -> None:
    shop = each_shop
    path = refused(shop, tmp_path)
    row = corrected(shop, path, tmp_path / "outra.xlsx", GOOD | changes)
    assert codes(row.problems) == [code]
    with shop.context() as context:
        assert context.catalogue.say(row.problems[0])
        again = write_back(context, row.file_id)
    assert again is not None
    # The first row of the charge decides, not the correction in between.
    row = corrected(shop, again.path, tmp_path / "de novo.xlsx", {})
    assert codes(row.problems) == [code]
    enter(shop, tmp_path, contract(1))
    bill_month()
    assert len(shop.there()) == 1


def test_a_row_whose_days_another_contract_billed_stays_refused(each_shop: Workshop, tmp_path: Path) -> None:
    shop, month = each_shop, this_month()
    path = refused(shop, tmp_path)
    enter(shop, tmp_path, contract(1))
    with shop.context() as context:
        end_contract(context, "C-1", last_on=month - timedelta(days=1), person="Ana", because="x")
    enter(shop, tmp_path, contract(1, Contrato="NOVO-1", Início=f"{month:%d/%m/%Y}"))
    bill_month()
    assert len(shop.there()) == 1
    row = corrected(shop, path, tmp_path / "tarde.xlsx", GOOD)
    assert codes(row.problems) == ["contract.covered_by_other"]
