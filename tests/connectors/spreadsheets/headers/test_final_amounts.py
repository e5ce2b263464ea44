"""Which of several amounts is billed, and whether the columns beside it come to it."""

import pytest

from connectors.spreadsheets.headers.final_amounts import AmountParts, chosen_amount, is_final


@pytest.mark.parametrize(
    ("headers", "has_discount", "expected"),
    [
        (("valor", "valor total"), False, 1),
        (("valor", "total", "a faturar"), False, 2),
        (("valor", "mensalidade"), False, None),
        (("total", "valor total"), False, None),
        (("mensalidade", "valor a pagar"), True, 0),
        (("amount", "fee"), False, None),
        (("valor", "mensalidade"), True, None),
    ],
)
def test_the_amount_after_all_changes_is_billed(headers, has_discount, expected):
    assert chosen_amount(headers, range(len(headers)), has_discount=has_discount) == expected


@pytest.mark.parametrize(("last", "expected"), [("net", 0), ("net amount", 0), ("status", None)])
def test_the_fee_of_a_gateway_is_not_billed(last: str, expected: int | None):
    assert chosen_amount(("amount", "stripe fee", last), (0, 1), has_discount=False) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("saldo a faturar", True),
        ("valor final", True),
        ("valor atual", True),
        ("valor", False),
        ("valor da etapa a faturar", True),
        ("parcela do contrato a faturar", False),
    ],
)
def test_a_final_amount_says_so(header, expected):
    assert is_final(header) is expected


@pytest.mark.parametrize(
    ("cells", "amount", "expected"),
    [
        ((100.0, None, None, None), 100.0, True),
        ((100.0, 10.0, None, None), 90.0, True),
        ((100.0, "10%", None, None), 90.0, True),
        ((100.0, 10.0, None, None), 100.0, False),
        ((100.0, None, 20.0, None), 120.0, True),
        ((100.0, 10.0, 20.0, None), 110.0, True),
        ((100.0, None, None, 3.0), 300.0, True),
        ((100.0, None, None, 3.0), 310.0, False),
        ((None, 10.0, None, None), 90.0, None),
        (("1.234", 10.0, None, None), 90.0, None),
    ],
)
def test_a_base_with_its_changes_comes_to_the_amount(cells, amount, expected):
    parts = AmountParts(bases=(0,), minus=((1, False),), plus=((2, False),), counts=(3,), is_needed=True)
    assert parts.agrees(cells, amount) is expected


def test_an_amount_with_its_discount_explains_the_column_of_discounts():
    parts = AmountParts(bases=(0,), minus=((1, False),))
    assert parts.explains((100.0, 10.0), 1, 90.0)
    assert not parts.explains((100.0, 10.0), 1, 110.0)


def test_quantity_times_price_with_its_discount_explains_the_column_of_discounts():
    parts = AmountParts(minus=((2, True),), product=(0, 1))
    assert parts.explains((10.0, 100.0, "10%"), 2, 900.0)
    assert not parts.explains((10.0, 100.0, "10%"), 2, 1000.0)
    assert not parts.explains((10.0, None, "10%"), 2, 9.0)
