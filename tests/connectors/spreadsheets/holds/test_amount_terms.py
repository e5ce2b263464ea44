"""How products and single columns come to an amount."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.amount_terms import Terms, learned_terms

HOURS = ("horas", "valor hora", "he", "valor he", "total")


def learned(headers: tuple[str, ...], *rows: tuple[Cell, ...]) -> Terms | None:
    last = len(headers) - 1
    return learned_terms(dict(enumerate(headers)), list(range(last)), last, rows)


def test_two_products_are_learned_with_their_exceptions():
    found = learned(
        HOURS, (10.0, 9.0, 2.0, 20.0, 130.0), (10.0, 9.0, None, None, 90.0), (5.0, 9.0, 1.0, 20.0, 65.0),
        (5.0, 9.0, 1.0, 20.0, 45.0),
    )  # fmt: skip
    assert found is not None
    assert (found.columns, found.pairs) == ((0, 1, 2, 3), ((1, 2), (3, 4)))
    assert found.holds((130.0, 10.0, 9.0, 2.0, 20.0)) is True
    assert found.holds((45.0, 5.0, 9.0, 1.0, 20.0)) is False
    assert found.holds((45.0, None, 9.0, None, None)) is None
    assert found.holds((None, 5.0, 9.0, 1.0, 20.0)) is None


def test_a_deduction_may_have_either_sign():
    found = learned(("contrato", "glosa", "valor"), (9.0, 1.0, 8.0), (9.0, -2.0, 7.0), (9.0, None, 9.0))
    assert found is not None
    assert (found.columns, found.singles, found.less) == ((0, 1), (1,), (2,))


def test_a_fixed_price_and_a_product_leave_columns_out():
    found = learned(
        ("franquia", "fixo", "impressas", "excedente", "preco", "total"),
        (99.0, 300.0, 90.0, 0.0, 0.1, 300.0), (99.0, 300.0, 150.0, 50.0, 0.1, 305.0),
    )  # fmt: skip
    assert found is not None
    assert found.columns == (1, 3, 4)


@pytest.mark.parametrize(
    ("headers", "rows"),
    [
        (("horas", "preco", "total"), [(2.0, 3.0, 6.0)]),
        (("horas", "preco", "total"), [(2.0, 3.0, 6.0), (2.0, 3.0, 7.0), (2.0, 4.0, 9.0)]),
        (("horas", "preco", "total"), [(1.0, 3.0, 3.0), (1.0, 4.0, 4.0)]),
        (("um", "dois", "total"), [(1.0, 3.0, 4.0), (2.0, 4.0, 6.0)]),
        (("base", "% rateio", "total"), [(10.0, 3.0, 30.0), (2.0, 4.0, 8.0)]),
        (("texto", "preco", "total"), [("a", 3.0, 3.0), ("b", 4.0, 4.0)]),
        (("dia", "parcelas", "total"), [(5.0, 10.0, 50.0), (10.0, 10.0, 100.0)]),
        (("preco", "total"), [(3.0, 3.0), (4.0, 4.0)]),
    ],
)  # fmt: skip
def test_a_copy_a_sum_and_a_coincidence_are_no_rule(headers: tuple[str, ...], rows: list[tuple[Cell, ...]]):
    assert learned(headers, *rows) is None


def test_the_first_rows_alone_teach_nothing():
    rows = [(2.0, float(number), 2.0 * number) for number in range(3, 15)]
    assert learned(("horas", "preco", "total"), *rows) is not None
    assert learned(("horas", "preco", "total"), *rows, *[(2.0, 3.0, 5.0)] * 20) is None
