"""Headers with a unit, or with what they belong to."""

import pytest

from connectors.spreadsheets.headers.header_spellings import known_as

ALIASES = {"valor": "service_cents", "preco": "unit_price", "contrato": "contract", "status": "status", "nome": "name"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("valor", "service_cents"), ("valor reais", "service_cents"), ("preco reais", "unit_price"),
        ("contrato reais", None), ("deal valor", "service_cents"), ("organizacao nome", "name"),
        ("negocio status", "status"), ("deal", None), ("filial valor", None), ("reais", None),
    ],
)  # fmt: skip
def test_a_unit_and_an_owner_change_no_header(header: str, expected: str | None):
    assert known_as(header, ALIASES, {}) == expected


def test_weaker_headers_and_stems_count():
    assert known_as("valores reais", {}, {"valore": "service_cents"}) == "service_cents"
