"""Due dates: rules as people write them, with holidays as an argument."""

from datetime import date

import pytest

from domain.contracts.billing_day import BillingDay, read_billing_day
from domain.problems import Problem

NOVEMBER = date(2026, 11, 1)
HOLIDAYS = frozenset({date(2026, 11, 2), date(2026, 11, 20), date(2026, 11, 30)})


def is_holiday(day: date) -> bool:
    return day in HOLIDAYS


@pytest.mark.parametrize(
    ("rule", "day"),
    [
        ("dia 5", 5),
        ("5", 5),
        ("dia 1", 1),
        ("dia 1 ou próximo dia útil", 3),  # Sunday, then All Souls' Day.
        ("Dia 20 ou anterior", 19),
        ("day 20 or next business day", 23),
        ("dia 31", 30),
        ("último dia útil", 27),  # The 30th is a local holiday here.
        ("1º dia útil", 3),
        ("5º dia útil", 9),
        ("business day 2", 4),
    ],
)
def test_rule_names_the_day(rule: str, day: int) -> None:
    assert BillingDay.of(rule).in_month(NOVEMBER, is_holiday) == date(2026, 11, day)


def test_shift_may_leave_the_month() -> None:
    assert BillingDay.of("dia 30 ou próximo dia útil").in_month(NOVEMBER, is_holiday) == date(2026, 12, 1)
    assert BillingDay.of("day 1 or previous").in_month(NOVEMBER, is_holiday) == date(2026, 10, 30)


@pytest.mark.parametrize("rule", ["dia 5", "day 7 or next", "último dia útil", "3º dia útil", "dia 9 ou anterior"])
def test_text_of_a_rule_reads_back(rule: str) -> None:
    read = BillingDay.of(rule)
    assert BillingDay.of(read.text) == read


@pytest.mark.parametrize("text", ["", "dia 0", "dia 32", "segunda-feira", "20º dia útil", "dia cinco"])
def test_other_texts_are_refused(text: str) -> None:
    found = read_billing_day(text)
    assert isinstance(found, Problem)
    assert found.code == "contract.billing_day"
