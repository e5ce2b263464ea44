"""Amounts and percentages as people type them, and the column that decides their notation."""

import contextlib
import math
from datetime import time, timedelta
from decimal import Decimal

import pytest
from babel.numbers import NumberFormatError, parse_decimal
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.parsers import number_parser
from domain.problems import Problem

CENTS = st.integers(min_value=0, max_value=10**12)


def code(found: object) -> str:
    assert isinstance(found, Problem), found
    return found.code


@pytest.mark.parametrize(
    "text",
    [
        "1.234,56",
        "R$ 1.234,56",
        "R$1.234,56",
        "1234,56",
        "1234.56",
        "1,234.56",
        "1 234,56",
        "R$\u00a01.234,56",
        "1.234,56 R$",
    ],
)
def test_an_amount_is_read_whichever_way_it_is_unmistakable(text: str) -> None:
    assert number_parser.parse_amount(text, None) == 123_456


@pytest.mark.parametrize(
    ("text", "cents"), [("1234", 123_400), ("1,5", 150), ("1.5", 150), ("0,99", 99), ("1.234.567", 123_456_700)]
)
def test_whole_and_short_amounts_are_parsed(text: str, cents: int) -> None:
    assert number_parser.parse_amount(text, None) == cents


@pytest.mark.parametrize("text", ["1.234", "1,234", "R$ 12.345", "123.456"])
def test_a_number_with_two_readings_is_never_guessed(text: str) -> None:
    assert code(number_parser.parse_amount(text, None)) == "amount.ambiguous"
    assert code(number_parser.parse_amount(text, number_parser.MIXED)) == "amount.ambiguous"


def test_the_column_decides_what_one_cell_cannot() -> None:
    assert number_parser.parse_amount("1.234", "pt_BR") == 123_400
    assert number_parser.parse_amount("1,234", "en_US") == 123_400


def test_decimal_points_do_not_turn_a_thousand_into_one() -> None:
    assert code(number_parser.parse_amount("1.500", "en_US")) == "amount.ambiguous"
    assert code(number_parser.parse_amount("1,500", "pt_BR")) == "amount.ambiguous"
    assert code(number_parser.parse_amount("1234,567", "pt_BR")) == "amount.fraction_of_cent"


@pytest.mark.parametrize(
    "text", ["a combinar", "12.34.5", "1,2,3", "1e5", "R$", "--5", "12,", "٣", "1.23.456,00", "=1+1", "9" * 50]
)
def test_other_texts_are_no_amount(text: str) -> None:
    assert code(number_parser.parse_amount(text, None)) == "amount.unreadable"


@pytest.mark.parametrize("cell", [True, None])
def test_other_cells_are_no_amounts(cell: bool | None) -> None:
    assert code(number_parser.parse_amount(cell, None)) == "amount.unreadable"


@pytest.mark.parametrize("text", ["-5,00", "R$ -5,00", "-R$ 5,00", "(5,00)", "(R$ 5,00)", "5,00-", "\u22125,00"])
def test_negative_amounts_are_read_as_such(text: str) -> None:
    assert number_parser.parse_amount(text, None) == -500


def test_binary_noise_is_no_fraction_of_a_cent() -> None:
    assert number_parser.parse_amount(0.1 + 0.2, None) == 30
    assert number_parser.parse_amount(1000.1 - 999.9, None) == 20
    assert code(number_parser.parse_amount(333.333_333, None)) == "amount.fraction_of_cent"
    assert code(number_parser.parse_amount(1e14, None)) == "amount.out_of_range"
    assert code(number_parser.parse_amount("99.999.999.999.999,00", "pt_BR")) == "amount.out_of_range"


@given(CENTS)
def test_every_amount_survives_every_way_of_writing(cents: int) -> None:
    whole, part = divmod(cents, 100)
    grouped = f"{whole:,}"
    assert number_parser.parse_amount(f"{grouped.replace(',', '.')},{part:02d}", None) == cents
    assert number_parser.parse_amount(f"{grouped}.{part:02d}", None) == cents
    assert number_parser.parse_amount(f"{whole},{part:02d}", "pt_BR") == cents
    assert number_parser.parse_amount(cents / 100, None) == cents


@given(st.text(alphabet="0123456789.,R$ -()%", max_size=20))
def test_any_text_gives_a_number_or_a_problem(text: str) -> None:
    for locale in (None, "pt_BR", "en_US", number_parser.MIXED):
        for found in (number_parser.parse_amount(text, locale), number_parser.parse_rate(text, locale)):
            assert isinstance(found, int | Problem)


@given(CENTS, CENTS)
def test_texts_that_differ_by_notation_never_agree_silently(one: int, other: int) -> None:
    """A text without evidence means the same in both notations."""
    text = f"{one % 999 + 1}.{other % 1000:03d}"
    found = number_parser.readings(text)
    if len(set(found.values())) > 1:
        assert code(number_parser.parse_amount(text, None)) == "amount.ambiguous"


@pytest.mark.parametrize(
    ("cell", "basis_points"),
    [
        ("5%", 500), ("5,00%", 500), ("5", 500), (5.0, 500), (0.05, 500), ("0,05", 500), ("2,9 %", 290), (0.029, 290),
        (0.65, 65), ("0,65", 65), ("0,65%", 65), (0.0065, 65), (11.0, 1100), (0.11, 1100), (0.0, 0), ("0%", 0),
        ("100%", 10_000),
    ],
)  # fmt: skip
def test_rates_are_read_as_points_or_as_formatted_fractions(cell: float | str, basis_points: int) -> None:
    assert number_parser.parse_rate(cell, None) == basis_points


def test_an_ambiguous_rate_is_a_problem_with_both_readings() -> None:
    found = number_parser.parse_rate(0.3, None)
    assert isinstance(found, Problem)
    assert (found.code, found.params["first"], found.params["second"]) == ("amount.rate_ambiguous", "0,3%", "30%")
    assert number_parser.parse_rate("30%", None) == 3_000


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("101%", "amount.rate_too_high"), (150.0, "amount.rate_too_high"), ("-5%", "amount.rate_unreadable"),
     ("isento", "amount.rate_unreadable"), ("2,005%", "amount.rate_unreadable"), (True, "amount.rate_unreadable")],
)  # fmt: skip
def test_other_cells_are_no_rate(cell: float | str, expected: str) -> None:
    assert code(number_parser.parse_rate(cell, None)) == expected


def test_a_cell_is_shown_short_and_on_one_line() -> None:
    assert number_parser.shown("a\n b" + "x" * 100) == "a b" + "x" * 37
    assert number_parser.shown(12.5) == "12,5"
    assert number_parser.readings("R$ 1.234,56") == {"pt_BR": Decimal("1234.56")}


@pytest.mark.parametrize(
    ("cell", "locale", "value"),
    [
        (0.1 + 0.2, None, "0.3"),
        ("1.500", "pt_BR", "1500"),
        ("1.500", "en_US", "1.500"),
        ("13,3333", None, "13.3333"),
        ("2", None, "2"),
        ("-1,5", None, "-1.5"),
    ],
)
def test_a_quantity_keeps_its_places(cell: float | str, locale: str | None, value: str) -> None:
    assert number_parser.parse_decimal_figure(cell, locale) == Decimal(value)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1:30", "1.5"), ("02:15:00", "2.25"), ("3h", "3"), ("2h30", "2.5"), ("2h30min", "2.5"), ("2 horas", "2"),
        (time(1, 30), "1.5"), (timedelta(hours=26), "26"), ("2,5", "2.5"), (4.0, "4"),
    ],
)  # fmt: skip
def test_hours_may_be_written_as_a_time(cell: str | float | time | timedelta, value: str) -> None:
    assert number_parser.parse_quantity(cell, None) == Decimal(value)


@pytest.mark.parametrize("cell", ["1:75", "1:30:75", "3 dias"])
def test_other_cells_are_no_time(cell: str) -> None:
    assert code(number_parser.parse_quantity(cell, None)) == "product.quantity_unreadable"


@pytest.mark.parametrize("cell", ["1.500", "um", "", True, None])
def test_other_cells_are_no_quantity(cell: str | bool | None) -> None:
    assert code(number_parser.parse_decimal_figure(cell, None)) == "product.quantity_unreadable"


FIGURES = st.builds(
    lambda sign, groups, mark, point, rest: sign + mark.join(groups) + (point + rest if rest else ""),
    st.sampled_from(["", "-"]),
    st.lists(st.from_regex(r"[0-9]{1,3}", fullmatch=True), min_size=1, max_size=4),
    st.sampled_from([".", ",", ""]),
    st.sampled_from([".", ","]),
    st.from_regex(r"[0-9]{0,4}", fullmatch=True),
)


@given(FIGURES)
def test_numbers_are_read_as_babel_reads_them_when_it_is_strict(text: str) -> None:
    strict = {}
    for locale in number_parser.LOCALES:
        with contextlib.suppress(NumberFormatError):
            strict[locale] = parse_decimal(text, locale=locale, strict=True)
    assert dict(number_parser.readings(text)) == strict


@given(st.lists(st.floats() | st.integers(-(10**17), 10**17).map(lambda cents: cents / 100), min_size=1, max_size=6))
def test_column_of_numbers_is_read_as_its_cells(column: list[float]) -> None:
    together = number_parser.cents_of_floats(column)
    assert together in (None, [number_parser.parse_amount(cell, None) for cell in column if math.isfinite(cell)])
    assert together is None or len(together) == len(column)


def test_column_of_usual_amounts_is_read_at_once() -> None:
    assert number_parser.cents_of_floats([1.1, 0.29, -3.0, 1234.56]) == [110, 29, -300, 123456]
