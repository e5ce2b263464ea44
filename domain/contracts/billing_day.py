"""The day of a month on which a charge is due: `day 5`, `last business day`, `day 10 or next business day`.

People read and write a rule in Portuguese or English. The caller passes the holidays: this module has no calendar.
"""

import calendar
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, Self

from domain.problems import Problem
from domain.texts import folded

Shift = Literal["none", "next", "previous"]
IsHoliday = Callable[[date], bool]

_SATURDAY: Final = 5
_LAST: Final = frozenset({"ultimo dia util", "last business day"})
_DAY: Final = re.compile(
    r"(?:dia |day )?(\d{1,2})"
    r"(?: (?:ou|or) (?:(proximo|next)(?: dia util| business day)?"
    r"|((?:dia util )?anterior|previous(?: business day)?)))?"
)
_NTH: Final = re.compile(r"(\d{1,2})[ºo]? dia util|business day (\d{1,2})")
_SHIFTED: Final[Mapping[Shift, str]] = {
    "none": "",
    "next": " ou próximo dia útil",
    "previous": " ou dia útil anterior",
}
_MOST_BUSINESS_DAYS: Final = 15
"""Every month has at least this many business days."""


@dataclass(frozen=True, slots=True)
class BillingDay:
    """A rule for the due day: `day` with a `shift`, or the `nth` business day.

    If both `day` and `nth` are None, it is the last business day.
    """

    day: int | None = 1
    shift: Shift = "next"
    nth: int | None = None

    @property
    def text(self) -> str:
        """The rule as sheets write it. `BillingDay.of` reads it."""
        if self.nth is not None:
            return f"{self.nth}º dia útil"
        if self.day is None:
            return "último dia útil"
        return f"dia {self.day}{_SHIFTED[self.shift]}"

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a rule. Raises `ValueError` when the text is no rule."""
        plain = " ".join(folded(text).replace("º", "o").split())
        if plain in _LAST:
            return cls(day=None, shift="none")
        if found := _NTH.fullmatch(plain):
            nth = int(found[1] or found[2])
            if 1 <= nth <= _MOST_BUSINESS_DAYS:
                return cls(day=None, shift="none", nth=nth)
        elif found := _DAY.fullmatch(plain):
            day = int(found[1])
            if 1 <= day <= 31:
                return cls(day=day, shift="next" if found[2] else "previous" if found[3] else "none")
        raise ValueError("no billing day")

    def in_month(self, competence: date, is_holiday: IsHoliday) -> date:
        """Return the due date in the month of `competence`.

        Use the last day where the month is too short. A shift may move the date into another month.
        """
        length = calendar.monthrange(competence.year, competence.month)[1]
        if self.nth is not None:
            return _nth_business_day(competence.replace(day=1), self.nth, is_holiday)
        if self.day is None:
            return _business_day(competence.replace(day=length), -1, is_holiday)
        day = competence.replace(day=min(self.day, length))
        if self.shift == "none":
            return day
        return _business_day(day, 1 if self.shift == "next" else -1, is_holiday)


FIRST_BUSINESS_DAY: Final = BillingDay()


def read_billing_day(text: str) -> BillingDay | Problem:
    """Return the rule that a cell names, or `contract.billing_day`."""
    try:
        return BillingDay.of(text)
    except ValueError:
        return Problem("contract.billing_day", "billing_day", params={"text": text[:40]})


def is_business_day(day: date, is_holiday: IsHoliday) -> bool:
    """Return whether the day is a business day: Monday to Friday and no holiday."""
    return day.weekday() < _SATURDAY and not is_holiday(day)


def _business_day(day: date, step: int, is_holiday: IsHoliday) -> date:
    while not is_business_day(day, is_holiday):
        day += timedelta(days=step)
    return day


def _nth_business_day(first: date, nth: int, is_holiday: IsHoliday) -> date:
    day = _business_day(first, 1, is_holiday)
    for _ in range(nth - 1):
        day = _business_day(day + timedelta(days=1), 1, is_holiday)
    return day
