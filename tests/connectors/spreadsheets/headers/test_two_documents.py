"""The filled one of two columns, CPF and CNPJ, names the customer."""

import pytest

from connectors.spreadsheets.headers.two_documents import columns_of_both

DOCUMENT = "document"


@pytest.mark.parametrize(
    ("headers", "fields", "expected"),
    [
        (("cpf", "nome", "cnpj"), (DOCUMENT, "name", DOCUMENT), (0, 2)),
        (("cnpj do cliente", "cpf do cliente"), (DOCUMENT, DOCUMENT), (0, 1)),
        (("cnpj", "cpf do tomador"), (DOCUMENT, DOCUMENT), (0, 1)),
        (("cnpj", "cnpj do cliente"), (DOCUMENT, DOCUMENT), None),
        (("cpf do aluno", "cnpj"), (DOCUMENT, DOCUMENT), None),
        (("cnpj cpf", "cpf"), (DOCUMENT, DOCUMENT), None),
        (("cpf", "cnpj"), (DOCUMENT, None), None),
    ],
)
def test_two_columns_are_of_one_party(headers, fields, expected):
    assert columns_of_both(headers, fields) == expected
