"""Names and documents in one cell."""

import pytest

from connectors.spreadsheets.formats.sheets import Row
from connectors.spreadsheets.parsers.named_documents import document_in, has_documents, name_beside
from tests.tasks.rows import company, person

CNPJ, CPF = company(1).formatted, person(1).formatted


@pytest.mark.parametrize(
    ("text", "document", "name"),
    [
        (f"Trigo Ltda - {CNPJ}", CNPJ, "Trigo Ltda"),
        (f"Trigo Ltda (CNPJ: {CNPJ})", CNPJ, "Trigo Ltda"),
        (f"{CPF} Rosa Melo", CPF, "Rosa Melo"),
        (f"Rosa Melo, CPF nº {CPF}", CPF, "Rosa Melo"),
        (f"Trigo {CNPJ.replace('.', '').replace('/', '').replace('-', '')}", company(1).number, "Trigo"),
        ("Trigo Ltda", None, "Trigo Ltda"),
        (f"Trigo {CNPJ} e Rosa {CPF}", None, "Trigo e Rosa"),
        (f"Trigo {CNPJ[:-1]}X", None, f"Trigo {CNPJ[:-1]}X"),
    ],
)
def test_a_cell_is_split(text: str, document: str | None, name: str):
    assert document_in(text) == document
    assert name_beside(text) == name


def test_most_cells_of_the_column_have_documents():
    joined, bare = Row(2, ("x", f"Trigo Ltda {CNPJ}")), Row(3, ("x", "Bar do Zé"))
    assert has_documents([joined, bare], 1)
    assert not has_documents([joined, bare, bare], 1)
    assert not has_documents([bare], 1)
    assert not has_documents([], 1)
    assert not has_documents([Row(2, ("x", CNPJ))], 1)
