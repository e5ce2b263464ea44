"""The month of the titles above a header: stated explicitly and once, or not taken at all."""

import io
from collections.abc import Callable, Sequence
from datetime import date, datetime

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.readings import open_sheet
from connectors.spreadsheets.rows.title_months import TitledMonth, titled_month
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import Where
from tests.connectors.spreadsheets.books import NOVEMBER, SERVICES, written

_HEAD = ["CNPJ/CPF", "Razão Social", "Modelo", "Valor"]
_ROW = ["99.000.002/0001-48", "Ana Ltda", "Mensalidade", 100.0]


def titled(*titles: object, name: str = "Plan") -> TitledMonth | None:
    """Return the month of a sheet with these titles; a list is a row of several cells."""
    above = [list(each) if isinstance(each, Sequence) and not isinstance(each, str) else [each] for each in titles]
    workbook = open_workbook(written((name, [*above, [], _HEAD, _ROW])))
    return titled_month(open_sheet(workbook, SERVICES).header)


@pytest.mark.parametrize(
    "title",
    [
        "Competência: novembro/2026", "COMPETÊNCIA 11/2026", "Competência novembro de 2026", "Comp.: nov/26",
        "Competência: 2026-11", "Competência: 11/26", "Competência: 30/11/2026", "Competência (mês/ano): 11/2026",
        "Competência do faturamento: 11/2026", "Mês de competência - 11/2026", "Mês de referência: 11/2026",
        "Mês/Ano: 11/2026", "Mês: Novembro/2026", "Ref.: 11/2026", "Referente ao mês de novembro/2026",
        "Período de referência: novembro/2026", "Período de apuração: novembro de 2026",
        "Período: 01/11/2026 a 30/11/2026", "Período de 01 a 30/11/2026", "Billing period: November 2026",
        "Consultores Associados - Competência: novembro/2026", "Controle de cobrança\nCompetência: novembro/2026",
        "Faturamento de Novembro de 2026", "Faturamento - Nov/2026", "Faturamento mensal: 11/2026",
        "FATURAMENTO 11.2026", "Faturamento 2026/11", "Faturamento ref. nov/2026", "Cobrança do mês 11/2026",
        "Relatório de faturamento (novembro de 2026)", "Planilha de faturamento novembro 2026",
        "Mensalidades de novembro de 2026", "Honorários contábeis 11/2026", "Faturar em novembro/2026",
        "Notas fiscais a emitir - novembro/2026", "Serviços prestados em novembro/2026", "Invoices for November 2026",
        "Atendimentos de 11/2026 - emitir NFS-e", "Garagem Central - mensalistas 11/2026",
        "Terminal - medições de novembro/2026", "Assinaturas novembro/2026",
        "Relação de serviços - novembro/2026", "Novembro/2026", "NOV/26", "11/2026", "Clínica Sorriso – Novembro/2026",
    ],
)  # fmt: skip
def test_a_title_says_the_month(title: str):
    found = titled("Consultores Associados", title)
    assert found is not None
    assert (found.month, found.where) == (NOVEMBER, Where(sheet="Plan", row=2, column="A"))
    assert found.text == " ".join(title.split())


@pytest.mark.parametrize(
    "title",
    [
        # no year, or several months
        "Faturamento Novembro", "Competência: out/nov 2026", "Faturamento outubro e novembro de 2026",
        "Competência: 10 a 11/2026", "Faturamento 4º trimestre - 11/2026", "Período: 26/10/2026 a 25/11/2026",
        "Período: 26 de outubro a 25 de novembro de 2026",
        # a day that may be a month, and a month that may be a day
        "Competência: 11/12", "Faturamento de 10/11/2026", "Ref.: 10/11/2026", "Novembro 26",
        # other days, and another time
        "Vencimento: 12/2026", "Faturamento novembro/2026 - vencimento 10/12/2026", "Pagamento novembro/2026",
        "Emitido em 30/11/2026", "Atualizado em novembro/2026", "Atualização: novembro/2026",
        "São Paulo, 30 de novembro de 2026", "São Paulo, novembro de 2026", "Data: novembro/2026",
        "Rua 15 de Novembro, 26", "Competência anterior: 10/2026", "Próxima competência: 12/2026",
        "Reajuste a partir de novembro/2026", "Desde novembro/2026", "Faturamento até novembro/2026",
        # a forecast
        "Faturamento previsto 11/2026", "Previsão de faturamento - novembro/2026", "Orçamento novembro/2026",
        # numbers, and other subjects
        "Contrato 11/2026", "Contrato nº 11/2026", "Proposta 10/2026", "Cobrança nº 11/2026", "Nota fiscal nº 11/2026",
        "Processo 11/2026", "Ordem de serviço 11/2026", "Contrato de serviços 11/2026", "NFS-e 11/2026",
        "Ref. proposta 11/2026", "Honorários sobre faturamento de outubro/2026", "Cobrança retroativa outubro/2026",
        "Vendas de outubro de 2026", "Tabela de preços - novembro/2026",
        "Contratos vigentes em novembro/2026", "Notas emitidas em novembro/2026", "Cliente desde: 11/2026",
    ],
)  # fmt: skip
def test_a_title_that_may_mean_something_else_gives_no_month(title: str):
    assert titled("Consultores Associados", title) is None


@pytest.mark.parametrize(
    "titles",
    [
        ["Rua 15 de Novembro, 100 - Rio de Janeiro", "Faturamento novembro/2026", "Emitido em 02/12/2026 08:00"],
        ["Alfa Projetos Ltda", "Competência: 11/2026", "Vencimento: 10/12/2026"],
        ["Competência: 11/2026", "Faturamento de novembro"],
        ["Competência: 11/2026", "Período: 01/11/2026 a 30/11/2026"],
        [["Emitente", "Consultores Ltda"], ["Competência", "nov/26"], ["Emissão", date(2026, 12, 2)]],
        [["Competência", date(2026, 11, 1)]],
        [[None, "Mês de referência", None, datetime(2026, 11, 1, 8)]],  # noqa: DTZ001 - a cell has no zone
        [["Competência:", None, "11/2026", "Vencimento:", "10/12/2026"]],
    ],
)
def test_days_beside_the_month_do_not_contradict_it(titles: list[object]):
    found = titled(*titles)
    assert found is not None
    assert found.month == NOVEMBER


@pytest.mark.parametrize(
    "titles",
    [
        ["Competência: novembro/2026", "Faturamento dezembro/2026"],
        ["Faturamento novembro/2026", "Serviços ref. outubro"],
        ["Competência: 11/2026", "Vencimento: 12/2026"],
        ["Competência: 11/2026", "Período: 26/10/2026 a 25/11/2026"],
        ["Competência: 11/2026", "Período: 26/10 a 25/11"],
        ["Competência: 11/2026", "Previsão"],
    ],
)
def test_titles_that_contradict_each_other_give_no_month(titles: list[object]):
    assert titled(*titles) is None


@pytest.mark.parametrize(
    "titles",
    [
        ["Vencimento", "12/2026"],
        ["Vencimento:", "", "12/2026"],
        [["Data", date(2026, 11, 1)]],
        # a group of columns is no title
        [["Cliente", None, None, "Faturamento nov/2026"]],
    ],
)
def test_a_value_of_another_label_is_no_month(titles: list[object]):
    assert titled(*titles) is None


def test_the_sheets_name_may_contradict_titles_or_give_the_month():
    assert titled("Competência: 11/2026", name="Nov") is not None
    for name in ("Out", "Out 2026", "Nov 2025"):
        assert titled("Competência: 11/2026", name=name) is None
    for name in ("Nov 2026", "Novembro-2026", "Faturamento Nov-26", "11-2026"):
        assert titled("Consultores Associados", name=name) is not None
    for name in ("Nov", "Previsão Nov 2026", "Vendas Nov 2026", "Out-Nov 2026", "Desde Nov 2026"):
        assert titled("Consultores Associados", name=name) is None
    assert titled("Comparativo com outubro de 2026", name="Nov 2026") is None


def test_a_hidden_or_struck_title_gives_no_month():
    def hide(page: Worksheet) -> None:
        page.row_dimensions[1].hidden = True

    def strike(page: Worksheet) -> None:
        page["A1"].font = Font(strike=True)

    assert _edited(lambda _: None) is not None
    assert _edited(hide) is None
    assert _edited(strike) is None


def _edited(edit: Callable[[Worksheet], None]) -> TitledMonth | None:
    book = openpyxl.load_workbook(io.BytesIO(written(("Plan", [["Competência: 11/2026"], [], _HEAD, _ROW]))))
    edit(book.worksheets[0])
    target = io.BytesIO()
    book.save(target)
    return titled_month(open_sheet(open_workbook(target.getvalue()), SERVICES).header)


def test_the_remark_names_the_month_and_quotes_the_title():
    found = titled(["Empresa", "X"], [None, "Competência:", date(2026, 11, 1)])
    assert found is not None
    assert found.remark.params == {"text": "Competência: 01/11/2026", "competence": "11/2026"}
    assert (found.remark.where.row, found.remark.where.column) == (2, "C")
