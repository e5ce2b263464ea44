"""Months as people write them, and the clock of Brasília at the edges of a month."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.competence import (
    BRASILIA,
    add_months,
    competence_problem,
    emission_problem,
    first_of_month,
    format_competence,
    lacks_year,
    may_write_month_first,
    parse_competence,
    parse_emission,
    writes_month_first,
)

NOVEMBER = date(2026, 11, 1)
NAMES = ["janeiro", "fevereiro", "março", "abril", "maio", "junho"]
NAMES += ["julho", "agosto", "setembro", "outubro", "novembro", "dezembro"]
MONTHS = st.builds(date, st.integers(2000, 2099), st.integers(1, 12), st.just(1))


WAYS = """
11/2026|11-2026|11.2026|11/26|nov/26|NOV/2026|nov-26|nov. 2026|Nov 26|Novembro/2026|novembro de 2026
 Novembro  de\u00a02026 |2026-11|2026/11|noviembre de 2026
'11/2026|20/11/2026|20/11/26|2026-11-20|20.11.2026|2026-11-20 00:00:00|1/11/2026
"""


@pytest.mark.parametrize("text", WAYS.strip("\n").replace("\n", "|").split("|"))
def test_november_is_read_however_it_is_written(text):
    assert parse_competence(text) == NOVEMBER


@given(MONTHS)
def test_every_month_is_read_by_number_and_by_name(month):
    name = NAMES[month.month - 1]
    for text in (
        format_competence(month),
        f"{month:%Y-%m}",
        f"{name}/{month.year}",
        f"{name[:3].upper()}-{month.year}",
    ):
        assert parse_competence(text) == month


@pytest.mark.parametrize(
    "text", ["NOV2026", "nov'26", "1º/11/2026", "01/11 a 30/11/2026", "112026", "novembro2026", "1o.11.2026",
             "01 a 30/11/2026", "1 a 30 de novembro de 2026", "November 2026"],
)  # fmt: skip
def test_a_month_in_short_is_read(text):
    assert parse_competence(text) == date(2026, 11, 1)


@pytest.mark.parametrize(
    "text", ["25 a 24/11/2026", "novembro", "01/11 a 31/12/2026", "132026", "1120 26", "11/30/2026"]
)
def test_a_doubtful_short_month_is_not_read(text):
    assert parse_competence(text) is None


def test_a_month_without_its_year_is_recognised():
    assert all(map(lacks_year, ("01/11 a 30/11", "de 1/11 até 30/11", "nov", "Nov.", "ref. novembro", "Março")))
    assert not any(map(lacks_year, ("01/11 a 30/11/2026", "15/10 a 14/11", "01/13 a 30/13", "nov/26", "11/12", "")))


def test_a_month_without_a_year_is_the_requested_one_or_none():
    assert parse_competence("Novembro", near=NOVEMBER) == parse_competence("nov", near=NOVEMBER) == NOVEMBER
    assert parse_competence("dezembro", near=NOVEMBER) is None


def test_a_date_with_its_month_first_is_recognised():
    assert writes_month_first("11/30/2026")
    assert not any(map(writes_month_first, ("30/11/2026", "11/11/2026", "11/2026", "", "11/40/2")))
    assert all(map(may_write_month_first, ("11/05/2026", "5/11/26 10:00")))
    assert not any(map(may_write_month_first, ("11/11/2026", "30/11/2026", "nov/26")))


@pytest.mark.parametrize(
    "text",
    ["", "11", "2026", "11/12", "13/2026", "00/2026", "20261101", "nov", "novembre/2026", "30/02/2026", "11/1926"],
)
def test_an_ambiguous_month_is_not_guessed(text):
    assert parse_competence(text) is None


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("20/11/2026", datetime(2026, 11, 20, tzinfo=BRASILIA)),
        ("2026-02-01", datetime(2026, 2, 1, tzinfo=BRASILIA)),
        ("20.11.26", datetime(2026, 11, 20, tzinfo=BRASILIA)),
        ("20/11/2026 14:30", datetime(2026, 11, 20, 14, 30, tzinfo=BRASILIA)),
        ("2026-11-20T14:30:05", datetime(2026, 11, 20, 14, 30, 5, tzinfo=BRASILIA)),
        ("2026-11-20T14:30:00Z", datetime(2026, 11, 20, 14, 30, tzinfo=UTC)),
        ("2026-11-20T14:30:00-03:00", datetime(2026, 11, 20, 14, 30, tzinfo=BRASILIA)),
    ],
)
def test_an_emission_date_is_an_instant_in_brasilia_by_default(text, instant):
    assert parse_emission(text) == instant


@pytest.mark.parametrize("text", ["", "ontem", "31/11/2026", "11/2026", "20/11/1226", "2026-W01-1", "12/31/2026"])
def test_a_bad_date_gives_none(text):
    assert parse_emission(text) is None


@given(st.text(max_size=25))
def test_any_text_gives_an_aware_instant_or_none(text):
    found = parse_emission(text)
    assert found is None or found.utcoffset() is not None
    month = parse_competence(text)
    assert month is None or month.day == 1


@given(MONTHS, st.integers(-600, 600))
def test_months_are_counted_there_and_back(month, months):
    there = add_months(month, months)
    assert there.day == 1
    assert add_months(there, -months) == month
    assert (there.year - month.year) * 12 + there.month - month.month == months


def no_holiday(_: date) -> bool:
    return False


def test_the_last_evening_of_a_month_is_still_that_month_in_brasilia():
    evening = datetime(2026, 12, 1, 0, 30, tzinfo=UTC)  # 21:30 of the 30th of November
    assert first_of_month(evening.astimezone(BRASILIA).date()) == NOVEMBER
    assert competence_problem(date(2026, 12, 1), evening) is not None
    assert competence_problem(NOVEMBER, evening) is None
    assert (
        emission_problem(evening, NOVEMBER, evening, max_age_days=2, allowed_months_after=0, is_holiday=no_holiday)
        is None
    )


def test_a_month_that_has_begun_may_be_billed():
    midnight = datetime(2026, 12, 1, tzinfo=BRASILIA)
    assert competence_problem(date(2026, 12, 1), midnight) is None
    problem = competence_problem(date(2027, 1, 1), midnight)
    assert problem is not None
    assert (problem.code, dict(problem.params)) == (
        "competence.future",
        {"competence": "01/2027", "current": "12/2026"},
    )


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=BRASILIA)


@pytest.mark.parametrize(("day", "is_old"), [(24, False), (25, True)])
@pytest.mark.parametrize(("holidays", "later"), [((), 0), ((23,), 1), ((23, 24), 2), ((20, 22), 0)])
def test_weekends_and_holidays_are_no_business_days(day: int, is_old: bool, holidays: tuple[int, ...], later: int):
    # the 20th is a Friday
    friday, now = datetime(2026, 11, 20, 18, tzinfo=BRASILIA), datetime(2026, 11, day + later, 9, tzinfo=BRASILIA)
    found = emission_problem(friday, NOVEMBER, now, max_age_days=2, is_holiday=lambda each: each.day in holidays)
    assert (found is not None) == is_old


@pytest.mark.parametrize(
    ("emission", "competence", "code"),
    [
        (NOW, NOVEMBER, None),
        (NOW - timedelta(days=2), NOVEMBER, None),
        (NOW.replace(hour=0) - timedelta(days=2), NOVEMBER, None),
        (NOW - timedelta(days=3), NOVEMBER, "date.emission_old"),
        (NOW + timedelta(seconds=1), NOVEMBER, "date.emission_future"),
        (NOW, date(2026, 10, 1), None),
        (NOW, date(2026, 9, 1), "date.emission_outside"),
        (NOW, date(2026, 12, 1), "date.emission_outside"),
    ],
)
def test_an_emission_date_is_recent_and_belongs_to_the_competence(emission, competence, code):
    problem = emission_problem(emission, competence, NOW, max_age_days=2, is_holiday=no_holiday)
    assert (problem.code if problem else None) == code
