"""Test that a column with the document to bill is found, and speaks only where it names somebody else."""

import pytest

from connectors.spreadsheets.headers.layouts import find_header
from connectors.spreadsheets.holds.billing_documents import billing_columns, other_documents
from connectors.spreadsheets.workbook import open_workbook
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES
from tests.tasks.rows import company

_OWN, _OTHER = company(1), company(2)


@pytest.mark.parametrize(
    ("header", "is_found"),
    [
        ("CNPJ Faturamento", True), ("CNPJ p/ NF", True), ("CPF/CNPJ da Nota Fiscal", True), ("CNPJ NFS-e", True),
        ("CNPJ Matriz", False), ("CNPJ Parceiro", False), ("Nº Nota", False), ("CPF do Aluno", False),
    ],
)  # fmt: skip
def test_the_header_names_document_and_invoice(header: str, is_found: bool) -> None:
    content = books.written(("P", [["CNPJ", "Cliente", "Valor", header], [_OWN.number, "Ana Ltda", 100.0, None]]))
    found = find_header(open_workbook(content), SERVICES)
    assert bool(billing_columns(found)) is is_found


def test_only_whole_documents_of_others_are_found() -> None:
    column = [_OTHER.formatted, _OWN.number, None, "o mesmo", "123", float(_OTHER.number)]
    found = list(other_documents(column, [_OWN.formatted] * 5))
    assert found == [(0, _OTHER), (5, _OTHER)]
