"""Test that notes which ask for another amount, customer or number of invoices are found, and reports are not."""

import pytest

from connectors.spreadsheets.holds.requested_changes import STEMS, requests_change
from connectors.spreadsheets.parsers.cells import plain


@pytest.mark.parametrize(
    "text",
    [
        "Alterar valor para R$ 500",
        "trocar CNPJ",
        "emitir 2 notas",
        "desconto de 10%",
        "faturar só 50%",
        "nota p/ filial",
        "pró-rata 10 dias",
        "Proporcional a 12 dias",
        "faturar 1.000,00",
        "reter ISS",
        "NF com retenção de 11%",
        "ligar antes de emitir",
        "avisar o Beto antes",
        "valor mudou",
        "dar R$ 50 de desconto",
    ],
)
def test_a_requested_change_is_found_and_has_a_stem(text: str):
    assert requests_change(plain(text))
    assert any(stem in plain(text) for stem in STEMS)


@pytest.mark.parametrize(
    "text",
    [
        "valor com desconto de 10%",
        "desconto de 10% já aplicado",
        "contrato reajustado",
        "inclui 2 horas",
        "não reter ISS",
        "sem retenção de IR",
        "enviar antes do dia 5",
    ],
)
def test_a_report_is_no_requested_change(text: str):
    assert not requests_change(plain(text))
