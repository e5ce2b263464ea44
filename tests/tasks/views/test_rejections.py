"""An invoice that came back always has a reason."""

from pathlib import Path

import openpyxl
import pytest
import sqlalchemy as sa

from configs.catalogue import Catalogue
from connectors.ledger import invoices, tables
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.views.rejections import explain, problems_of, repeats_the_issuer, say_errors
from tests.tasks.corrections.rounds import bill, issue, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.workshop import Workshop


@pytest.fixture
def rejected(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1)])
    shop.sandbox.switch(rejection_share=1.0)
    bill(shop, month)
    issue(shop)
    return month


def with_errors(shop: Workshop, *errors):
    shop.write(lambda conn: conn.execute(sa.update(tables.invoices).values(errors=list(errors))))
    return shop.read(invoices.invoices_of, 1)[0]


def test_a_rejection_without_a_reason_says_so(shop: Workshop, rejected: Path):
    invoice = with_errors(shop)
    assert invoice.state is InvoiceState.REJECTED
    assert [problem.code for problem in problems_of(invoice)] == ["invoice.unexplained"]
    for page in openpyxl.load_workbook(returned(shop, rejected)).worksheets:
        if page.sheet_state != "visible":
            continue
        texts = [str(cell.value) for row in page.iter_rows() for cell in row]
        assert any("without any explanation" in text for text in texts), page.title


def test_a_citys_own_reason_gets_no_problem_of_ours(shop: Workshop, rejected: Path):
    city = {"code": "E1", "description": "Serviço não permitido.", "tip": ""}
    ours = Problem("provider.refused_field", "taker", params={"field": "taker", "message": "unknown"}).to_json()
    assert problems_of(with_errors(shop, city)) == []
    assert [problem.code for problem in problems_of(with_errors(shop, city, ours))] == ["provider.refused_field"]


def test_errors_are_listed_without_hints(shop: Workshop):
    refused = Problem("provider.refused_field", params={"field": "taker", "message": "não existe"}).to_json()
    with shop.context() as context:
        sentences = list(
            say_errors(context.catalogue, [refused, {"code": "", "description": "Sem resposta.", "tip": "Espere."}])
        )
    assert sentences[0].endswith("não existe")
    assert sentences[1] == "Sem resposta."


AWAY = {"code": "500", "description": "A prefeitura não respondeu."}
ITEM = {"code": "E30", "description": "Item inexistente."}
NOBODY = "Ninguém precisa agir"


def advices(*errors: dict[str, str], is_otherwise_valid: bool = True) -> list[str]:
    return [advice for _, advice in explain(Catalogue.load(), errors, is_otherwise_valid=is_otherwise_valid)]


def test_nobody_acts_only_where_no_other_reason_needs_a_person():
    assert NOBODY in advices(AWAY)[0]
    assert NOBODY not in advices(AWAY, is_otherwise_valid=False)[0]
    away, item = advices(AWAY, ITEM)
    assert NOBODY not in away
    assert "Quem preencheu a planilha" in item
    assert NOBODY not in advices(AWAY, {"code": "X9", "description": "outra coisa"})[0]


def test_an_earlier_rejection_leaves_the_advice_to_the_city():
    before = Problem("row.rejected_unchanged")
    assert repeats_the_issuer(before, [("500: x", "espere")])
    assert not repeats_the_issuer(before, [("X9: x", "")])
    assert not repeats_the_issuer(Problem("row.value_missing"), [("500: x", "espere")])
