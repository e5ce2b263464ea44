"""The days that an invoice of a contract covers, and the charges that would bill them again."""

from datetime import date

from domain.contracts.billed_periods import BilledPeriod, Version, neighbouring_months
from domain.contracts.contract import Pause
from tests.domain.contracts.test_charges import contract

OCTOBER, NOVEMBER, DECEMBER = date(2026, 10, 1), date(2026, 11, 1), date(2026, 12, 1)
QUARTER = contract(starts_on=OCTOBER, cadence_months=3, is_prorated=False)
MONTHLY = contract(starts_on=OCTOBER)
PAUSED = contract(starts_on=OCTOBER, pauses=(Pause(since=OCTOBER),))


def test_the_version_that_made_the_charge_decides() -> None:
    versions = [Version(4, QUARTER), Version(7, MONTHLY), Version(9, PAUSED)]
    assert BilledPeriod.of(versions, OCTOBER, 6) == BilledPeriod(OCTOBER, OCTOBER, date(2026, 12, 31), "C-1")
    assert BilledPeriod.of(versions, OCTOBER, 7) == BilledPeriod(OCTOBER, OCTOBER, date(2026, 10, 31), "C-1")


def test_a_charge_billed_by_hand_covers_the_longest_period() -> None:
    versions = [Version(4, MONTHLY), Version(7, QUARTER), Version(9, MONTHLY)]
    for last_version in (None, 3):
        assert BilledPeriod.of(versions, OCTOBER, last_version).last_on == date(2026, 12, 31)
    # A version that charges nothing in the month did not make the charge.
    assert BilledPeriod.of([*versions, Version(11, PAUSED)], OCTOBER, 11).last_on == date(2026, 12, 31)
    # No version charges in this month.
    september = date(2026, 9, 1)
    assert BilledPeriod.of(versions, september, None) == BilledPeriod(september, september, date(2026, 9, 30), "C-1")


def test_a_charge_that_counts_days_covers_these_days_alone() -> None:
    ended = contract(starts_on=date(2026, 10, 5), cadence_months=3, ends_on=date(2026, 11, 15))
    billed = BilledPeriod.of([Version(1, ended)], OCTOBER, 1)
    assert billed == BilledPeriod(OCTOBER, date(2026, 10, 5), date(2026, 11, 15), "C-1")
    assert billed.covers_charge(contract(starts_on=date(2026, 11, 15)), NOVEMBER)
    assert not billed.covers_charge(contract(starts_on=date(2026, 11, 16)), NOVEMBER)


def test_a_charge_of_another_month_bills_a_covered_day_again() -> None:
    quarter = BilledPeriod.of([Version(1, QUARTER)], OCTOBER, 1)
    assert [quarter.covers_charge(MONTHLY, month) for month in (OCTOBER, NOVEMBER, DECEMBER)] == [False, True, True]
    assert not quarter.covers_charge(MONTHLY, date(2027, 1, 1))
    # An earlier charge reaches into the billed months.
    month = BilledPeriod.of([Version(1, MONTHLY)], DECEMBER, 1)
    assert month.covers_charge(QUARTER, OCTOBER)


def test_only_months_within_the_longest_cadence_are_neighbours() -> None:
    assert neighbouring_months(MONTHLY.cadence_months, NOVEMBER) == []
    found = neighbouring_months(QUARTER.cadence_months, NOVEMBER)
    assert found == [date(2026, 9, 1), OCTOBER, DECEMBER, date(2027, 1, 1)]
