"""Without proof that the serie is ours alone, nothing is numbered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.invoice_numbers import (
    PRODUCT_NUMBERS,
    SERVICE_NUMBERS,
    SerieReading,
    SerieVerdict,
    check_serie,
    nfse_spellings,
    number_problem,
    read_nfse,
    serie_problem,
    start_problem,
)
from domain.problems import Problem

NOTHING = SerieReading(None, None)

RULES = {"service": SERVICE_NUMBERS, "nfe": PRODUCT_NUMBERS, "nfce": PRODUCT_NUMBERS}


def code(problem: Problem | None) -> str | None:
    return problem.code if problem else None


def test_a_serie_that_nobody_used_starts_at_one():
    for reading in (NOTHING, SerieReading(0, None)):
        assert check_serie(reading, highest_posted=0, is_started=False) == SerieVerdict("first_use", start=1)


def test_a_serie_that_somebody_used_waits_for_a_person():
    verdict = check_serie(SerieReading(41, False), highest_posted=0, is_started=False)
    assert (verdict.kind, verdict.start, code(verdict.problem)) == ("shared", 42, "serie.in_use")
    assert check_serie(SerieReading(None, False), highest_posted=0, is_started=False).kind == "shared"


@pytest.mark.parametrize("latest", [None, 0, 5, 10])
def test_a_counter_that_lags_behind_ours_is_no_alarm(latest):
    assert check_serie(SerieReading(latest, None), highest_posted=10, is_started=True).kind == "ok"
    assert check_serie(SerieReading(latest, True), highest_posted=10, is_started=True).kind == "ok"


def test_a_number_above_ours_was_somebody_elses():
    verdict = check_serie(SerieReading(11, True), highest_posted=10, is_started=True)
    assert (verdict.kind, verdict.start, code(verdict.problem)) == ("shared", 12, "serie.ahead")


def test_a_foreign_latest_note_below_our_number_stops_us():
    verdict = check_serie(SerieReading(9, False), highest_posted=10, is_started=True)
    assert (verdict.kind, verdict.start, code(verdict.problem)) == ("shared", 11, "serie.foreign_note")


def test_numbers_below_a_confirmed_start_are_explained():
    before = SerieReading(41, False)
    assert check_serie(before, highest_posted=0, is_started=True, first_number=42).kind == "ok"
    assert check_serie(before, highest_posted=50, is_started=True, first_number=42).kind == "ok"
    assert check_serie(SerieReading(42, False), highest_posted=50, is_started=True, first_number=42).kind == "shared"
    assert check_serie(SerieReading(42, True), highest_posted=0, is_started=True, first_number=42).kind == "shared"


@given(
    st.builds(SerieReading, st.none() | st.integers(0, 100), st.none() | st.booleans()),
    st.integers(0, 100),
    st.booleans(),
    st.integers(1, 100),
)
def test_going_on_never_gives_a_number_that_the_provider_knows(reading, highest, is_started, first):
    verdict = check_serie(reading, highest_posted=highest, is_started=is_started, first_number=first)
    latest = reading.latest_number or 0
    if verdict.kind == "ok":
        assert max(highest + 1, first) > latest
    else:
        assert verdict.start is not None
        assert verdict.start > latest
    assert (verdict.problem is not None) == (verdict.kind == "shared")


@pytest.mark.parametrize(
    ("kind", "serie"), [("service", "F"), ("service", "00001"), ("service", "ab12Z"), ("nfe", "1"), ("nfce", "999")]
)
def test_a_serie_is_what_its_kind_has_room_for(kind, serie):
    assert serie_problem(serie, RULES[kind]) is None


@pytest.mark.parametrize("serie", ["", "ABCDEF", "A B", "é", "A-1", "1\n"])
def test_anything_else_is_no_serie_of_services(serie):
    assert code(serie_problem(serie, SERVICE_NUMBERS)) == "serie.invalid"


@pytest.mark.parametrize("serie", ["", "0", "007", "1000", "F", "1F", "-1", "1 ", "¹"])
def test_anything_else_is_no_serie_of_products(serie):
    """A serie with two spellings would be two series for us, and one for the tax authority."""
    assert code(serie_problem(serie, PRODUCT_NUMBERS)) == "serie.not_a_product_serie"


@pytest.mark.parametrize(("kind", "last"), [("service", 9_999_999_999), ("nfe", 999_999_999), ("nfce", 999_999_999)])
def test_a_number_has_the_digits_that_its_document_gives_it(kind, last):
    rules = RULES[kind]
    assert start_problem(1, rules) is None
    assert start_problem(last, rules) is None
    assert number_problem(last, rules) is None
    for start in (0, -1, last + 1):
        assert code(start_problem(start, rules)) == "serie.no_number"
    for number in (0, last + 1):
        assert code(number_problem(number, rules)) == "serie.exhausted"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("118", "118"),
        ("000118", "000118"),
        (" 1.234 ", "1234"),
        ("000.000.012", "000000012"),
        ("2026/1.234", "2026/1234"),
    ]
    + [(text, None) for text in ("", "1.23", "1234.567", ".234", "1..234", "1,5", "A1", "2026/", "/118", "1" * 21)],
)
def test_a_citys_number_is_read_with_its_points(text: str, number: str | None):
    assert read_nfse(text) == number


@given(number=st.integers(0, 10**15 - 1), zeros=st.integers(0, 5), year=st.sampled_from(["", "2026/"]))
def test_each_count_of_zeros_finds_each_other(number: int, zeros: int, year: str):
    stored, typed = f"{year}{number}", f"{year}{'0' * (zeros if year == '' else 0)}{number}"
    assert stored in nfse_spellings(typed)
    assert typed in nfse_spellings(stored)
    assert f"{year}{number + 1}" not in nfse_spellings(typed)


def test_a_text_that_is_no_number_is_itself():
    assert nfse_spellings(" A-12 ") == ("A-12",)
