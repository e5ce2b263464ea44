"""The texts that are no lines of a sheet."""

import pytest

from connectors.spreadsheets.rows.titles import is_total_label


@pytest.mark.parametrize(
    "text",
    [
        "A transportar", "À transportar", "De transporte", "DE TRANSPORTE:", "Transportado", "Valor transportado",
        "Valor a transportar", "Saldo anterior a transportar", "Transporte da folha anterior", "Transporte da pág. 2",
        "(De transporte)", "Vem de transporte", "Vem da folha anterior", "Vai para a página seguinte", "Soma e segue",
        "Brought forward", "Balance carried forward", "C/F",
    ],
)  # fmt: skip
def test_the_sum_that_a_page_passes_on_is_a_total(text: str):
    assert is_total_label(text)


@pytest.mark.parametrize(
    "text",
    [
        "Transporte de carga",
        "Transporte escolar",
        "Transportes Silva Ltda",
        "Valor do transporte",
        "Vale transporte",
        "Transporte para o evento",
        "Transportadora",
        "Transporte Folha Verde Ltda",
        "Forward Ltda",
    ],
)
def test_a_transport_is_no_total(text: str):
    assert not is_total_label(text)
