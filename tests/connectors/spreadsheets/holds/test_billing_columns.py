"""Test which columns are judged as signs by the month or the account that their headers name."""

from datetime import date

import pytest

from connectors.spreadsheets.headers.layouts import find_header
from connectors.spreadsheets.holds.billing_columns import judged_columns
from connectors.spreadsheets.workbook import open_workbook
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES

_NOVEMBER = date(2026, 11, 1)


@pytest.mark.parametrize(
    ("text", "competence", "sign"),
    [
        ("NF Nov/26", _NOVEMBER, "invoice_number"), ("NF Nov/26", None, None), ("NF Out/26", _NOVEMBER, None),
        ("Nota Novembro", _NOVEMBER, "invoice_number"), ("Emitida 11/2026", _NOVEMBER, "billed"),
        ("NF anterior", _NOVEMBER, None), ("Horas Novembro", _NOVEMBER, None), ("Categoria", None, "charge_kind"),
        ("Plano de Contas", None, "charge_kind"), ("Conta Corrente", None, None),
        ("Em Garantia", None, "free"), ("Garantia estendida até", None, None),
    ],
)  # fmt: skip
def test_a_column_of_the_month_or_of_accounts_is_judged(text: str, competence: date | None, sign: str | None) -> None:
    sheet = find_header(open_workbook(books.written(("P", [["CNPJ", "Cliente", "Valor", text]]))), SERVICES)
    assert list(judged_columns(sheet, SERVICES, competence)) == ([(sign, 3)] if sign else [])
