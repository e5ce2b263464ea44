"""Two header rows are read as one."""

import pytest

from connectors.spreadsheets.headers.double_headers import has_groups, is_figure, names_as_many, with_groups

KNOWN = frozenset({"CNPJ cliente", "Bruto valor", "PIS (%)"})


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        (("Dados do Cliente", None), ("Nome", "CNPJ"), ("Nome", "CNPJ cliente")),
        (("Valores", None), ("Bruto", "Líquido"), ("Bruto valor", "Líquido")),
        (("PIS", None), ("(%)", "(R$)"), ("PIS (%)", "(R$)")),
        (("Modelo", "Valores"), (None, "Bruto"), ("Modelo", "Bruto valor")),
        (("Valores", "Serviço"), ("Desc.", "Desc."), ("Desconto", "Desc.")),
    ],
)
def test_a_group_belongs_to_the_headers_below_it(above, below, expected):
    assert with_groups(above, below, KNOWN.__contains__) == expected


def test_a_title_is_no_row_of_groups():
    assert has_groups(("Cliente", None, "Valores"))
    assert not has_groups(("Faturamento", None, "", 1.0))


def test_a_combined_header_replaces_one_with_no_more_fields():
    assert names_as_many(("name", None), ("number", None))
    assert not names_as_many(("name", None), ("name", "number"))


@pytest.mark.parametrize(("cell", "expected"), [("R$ 10,00", True), (10.0, True), (True, False), ("Valor", False)])
def test_a_figure_is_no_header(cell, expected):
    assert is_figure(cell) is expected
