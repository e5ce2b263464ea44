"""Brazil's national holidays, those of one state, and local days from the settings.

The rules come from the `holidays` library, which computes them without a network.
"""

import functools
from collections.abc import Iterable
from datetime import date


class Holidays:
    """The days on which banks and offices of one place are closed, besides weekends.

    Args:
        state: Two letters, such as SP, for the state's holidays as well; None for the national ones alone.
        days: Local holidays: whole dates, or days of every year as `--MM-DD`.

    Raises:
        ValueError: The library knows no such state.
    """

    def __init__(self, state: str | None = None, days: Iterable[str] = ()) -> None:
        import holidays  # noqa: PLC0415 - commands without a calendar start faster

        self._rules = holidays.country_holidays("BR", subdiv=state or None)
        self._days = frozenset(days)

    def is_holiday(self, day: date) -> bool:
        """Return whether the day is a holiday; a Saturday or Sunday is not one by itself."""
        return day in self._rules or day.isoformat() in self._days or f"--{day:%m-%d}" in self._days


@functools.cache
def holidays_of(state: str | None, days: tuple[str, ...]) -> Holidays:
    """Return the holidays of a place. A process computes each once."""
    return Holidays(state, days)
