"""Holidays of the country, of a state and of the settings."""

from datetime import date

from configs.reference.holidays import Holidays


def test_a_profile_adds_state_and_local_holidays() -> None:
    anywhere, here = Holidays(), Holidays("SP", ["2026-11-05", "--01-25"])
    for day in (date(2026, 4, 3), date(2026, 11, 2), date(2027, 11, 20)):
        assert anywhere.is_holiday(day)
    for day in (date(2026, 7, 9), date(2026, 11, 5), date(2027, 1, 25)):
        assert (anywhere.is_holiday(day), here.is_holiday(day)) == (False, True)
    assert not here.is_holiday(date(2027, 11, 5))
    assert not here.is_holiday(date(2026, 11, 1))  # An ordinary Sunday.
