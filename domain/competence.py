"""Months and emission instants: one time zone (Brasília), months as people write them, never "today" by default."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timedelta, timezone
from typing import Final

from domain.problems import Problem
from domain.texts import without_accents

BRASILIA: Final = timezone(timedelta(hours=-3), "Brasília")
"""Brasília time has had no summer time since 2019; a naive `emission_date` means this zone [R notes 1.26]."""

CLOSED: Final = "closing.closed"
"""The problem of what would be billed in a closed month."""
FIRST_YEAR: Final = 2000
LAST_YEAR: Final = 2099
LAST_MONTH: Final = 12
SATURDAY: Final = 5
"""Saturday in `date.weekday`."""

MONTH_NUMBERS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "jan janeiro january enero",
            "fev fevereiro feb february febrero",
            "mar marco march marzo",
            "abr abril apr april",
            "mai maio may mayo",
            "jun junho june junio",
            "jul julho july julio",
            "ago agosto aug august",
            "set setembro sep sept september septiembre setiembre",
            "out outubro oct october octubre",
            "nov novembro november noviembre",
            "dez dezembro dec december diciembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH_NAMES: Final = (
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
)
_NUMBER_MONTH: Final = re.compile(r"(\d{1,2})\s?[/.\-]\s?(\d{4}|\d{2})")
_YEAR_FIRST: Final = re.compile(r"(\d{4})\s?[/.\-]\s?(\d{1,2})")
_NAMED_MONTH: Final = re.compile(r"([a-z]{3,9})\.?(?:\s?[/.\-]\s?|\s+de\s+|\s+)?(\d{4}|\d{2})")
_NAMED_DAY: Final = re.compile(r"(\d{1,2})o?[\s/.\-]{1,3}(?:de )?([a-z]{3,9})\.?[\s/.\-]{1,3}(?:de )?(\d{4}|\d{2})")
_LABEL: Final = re.compile(
    r"^(?:ref(?:erente|erencia)?|comp(?:etencia)?|periodo|mes)\b[.: -]{0,3}(?:(?:a|ao|de|do)\b)?"
    r"\s*(?:mes\b)?\s*(?:de\b)?\s*"
)
_WEEKDAY: Final = re.compile(
    r"^(?:seg(?:unda)?|ter(?:ca)?|qua(?:rta)?|qui(?:nta)?|sex(?:ta)?|sab(?:ado)?|dom(?:ingo)?)(?:-feira)?[, .]{1,3}"
)
_PERIOD: Final = re.compile(r"(?:de )?(\d{1,2}/\d{1,2}/\d{2,4}) (?:a|ate|-) (\d{1,2}/\d{1,2}/\d{2,4})")
_DAYS_ALONE: Final = re.compile(r"(?:de )?\d{1,2}/(\d{1,2}) (?:a|ate|-) \d{1,2}/(\d{1,2})(?:/(\d{4}))?")
_DAYS_OF_A_MONTH: Final = re.compile(
    r"(?:de )?(\d{1,2})o? (?:a|ate|-) (\d{1,2})(?:/| de )([a-z]{3,9}|\d{1,2})(?:/| de | )(\d{4})"
)
_COMPACT: Final = re.compile(r"(20\d{2})(0[1-9]|1[0-2])|(0[1-9]|1[0-2])(20[2-9]\d)")
_FIRST_DAY: Final = re.compile(r"^1o(?=[/.\-])")
_THREE_NUMBERS: Final = re.compile(r"(\d{1,2})[/.\-](\d{1,2})[/.\-]\d{2,4}\b.{0,20}")
# an explicit list: a guessing parser reads 2026-02-01 as the 2nd of January
_DAYS: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d", "%d.%m.%Y", "%d-%m-%Y", "%d.%m.%y", "%Y/%m/%d")
_TIMES: Final = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")


def parse_competence(text: str, *, near: date | None = None) -> date | None:
    """Return the first day of the month that a cell names, or None.

    Known forms: `11/2026`, `nov/26`, `NOV2026`, `ref. 2026-11`, `202611`, `112026`, a date, a month's days (`01 a
    30/11/2026`).

    Two numbers that may be day and month (`11/12`) give None. Days or a month without a year (`01/11 a 30/11`,
    `novembro`) give `near`, the first day of a month, if they lie in that month.
    """
    plain = _LABEL.sub("", _normalize_text(text))
    if found := _PERIOD.fullmatch(plain) or _DAYS_ALONE.fullmatch(plain) or _DAYS_OF_A_MONTH.fullmatch(plain):
        return _month_of_days(found, near)
    if (number := MONTH_NUMBERS.get(plain.rstrip("."))) is not None:
        return near if near is not None and number == near.month else None
    if found := _COMPACT.fullmatch(plain):
        return _month_in_range(int(found[1] or found[4]), int(found[2] or found[3]))
    if found := _NUMBER_MONTH.fullmatch(plain):
        year = found[2]
        return None if len(year) == 2 and int(year) <= 12 else _month_in_range(_full_year(year), int(found[1]))
    if found := _YEAR_FIRST.fullmatch(plain):
        return _month_in_range(int(found[1]), int(found[2]))
    if found := _NAMED_MONTH.fullmatch(plain):
        return _month_in_range(_full_year(found[2]), MONTH_NUMBERS.get(found[1], 0))
    # only the label is removed: an ISO instant needs its capital letters
    instant = parse_emission(text if plain == _normalize_text(text) else plain)
    return None if instant is None else first_of_month(instant.astimezone(BRASILIA).date())


def lacks_year(text: str) -> bool:
    """Return whether a cell names one month and no year: `01/11 a 30/11`, `ref. novembro`."""
    plain = _LABEL.sub("", _normalize_text(text))
    if found := _DAYS_ALONE.fullmatch(plain):
        return found[3] is None and found[1] == found[2] and 1 <= int(found[1]) <= LAST_MONTH
    return plain.rstrip(".") in MONTH_NUMBERS


def parse_emission(text: str) -> datetime | None:
    """Return the aware instant that a cell names, or None.

    An instant without a zone is in Brasília time; a date alone means its first minute. None for a text that is no date,
    and for a date outside the years 2000 to 2099.
    """
    bare = " ".join(text.replace("\u00a0", " ").split()).lstrip("'’")
    without = _FIRST_DAY.sub("1", _WEEKDAY.sub("", _normalize_text(bare)))
    if without != _normalize_text(bare):
        bare = without
    named = _NAMED_DAY.fullmatch(without)
    if named:
        bare = f"{named[1]}/{MONTH_NUMBERS.get(named[2], 0)}/{named[3]}"
    found = next(
        (instant for form in _date_formats() if (instant := _parse_datetime(bare, form)) is not None), None
    ) or _read_iso(bare)
    if found is None or not FIRST_YEAR <= found.year <= LAST_YEAR:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=BRASILIA)


def writes_month_first(text: str) -> bool:
    """Return whether a date can only have the month first, as Americans write it: `11/30/2026`."""
    found = _THREE_NUMBERS.fullmatch(text.strip())
    return found is not None and 1 <= int(found[1]) <= LAST_MONTH < int(found[2])


def may_write_month_first(text: str) -> bool:
    """Return whether a date means another day if its month comes first: `11/05/2026`."""
    found = _THREE_NUMBERS.fullmatch(text.strip())
    return found is not None and found[1] != found[2] and max(int(found[1]), int(found[2])) <= LAST_MONTH


def format_competence(competence: date) -> str:
    """Return a month as people read it: 11/2026."""
    return f"{competence:%m/%Y}"


def month_name(competence: date) -> str:
    """Return the month's name in Portuguese, the language of the invoice, even if the operator reads English."""
    return _MONTH_NAMES[competence.month - 1]


def month_text(competence: date) -> str:
    """Return a month as the ledger and the commands write it: 2026-11."""
    return f"{competence:%Y-%m}"


def first_of_month(day: date) -> date:
    """Return the first day of the month of `day`. An instant must be in Brasília time already."""
    return date(day.year, day.month, 1)


def add_months(competence: date, months: int) -> date:
    """Return the first day of the month `months` later (earlier if negative)."""
    month = competence.year * 12 + competence.month - 1 + months
    return date(month // 12, month % 12 + 1, 1)


def competence_problem(competence: date, now: datetime, closed: Collection[date] = ()) -> Problem | None:
    """Return why a month may not be billed, or None.

    It must be the first day of a month that has begun in Brasília and is none of the `closed` ones.
    """
    if competence in closed:
        return Problem(CLOSED, "competence", params={"month": format_competence(competence)})
    current = first_of_month(now.astimezone(BRASILIA).date())
    if competence <= current:
        return None
    params = {"competence": format_competence(competence), "current": format_competence(current)}
    return Problem("competence.future", "competence", params=params)


def _is_older(first: date, last: date, *, days: int, is_holiday: Callable[[date], bool]) -> bool:
    """Return whether more than `days` business days lie between two days."""
    counted = 0
    day = last
    while day > first and counted <= days:
        counted += day.weekday() < SATURDAY and not is_holiday(day)
        day -= timedelta(days=1)
    return counted > days


def emission_problem(
    emission_at: datetime,
    competence: date,
    now: datetime,
    *,
    max_age_days: int,
    is_holiday: Callable[[date], bool],
    allowed_months_after: int = 1,
) -> Problem | None:
    """Return why an invoice may not be issued now with this emission instant, or None. All instants are aware.

    The instant must not be in the future, not be older than `max_age_days` business days, and lie in the month of
    competence or at most `allowed_months_after` later. Months are Brasília's: 21:30 on the last day of a month is the
    next month in UTC.
    """
    day = emission_at.astimezone(BRASILIA).date()
    shown = f"{day:%d/%m/%Y}"
    if emission_at > now:
        return Problem("date.emission_future", "emission_at", params={"emission": shown})
    if _is_older(day, now.astimezone(BRASILIA).date(), days=max_age_days, is_holiday=is_holiday):
        return Problem("date.emission_old", "emission_at", params={"emission": shown, "days": max_age_days})
    if not competence <= first_of_month(day) <= add_months(competence, allowed_months_after):
        params = {"emission": shown, "competence": format_competence(competence)}
        return Problem("date.emission_outside", "emission_at", params=params)
    return None


def _normalize_text(text: str) -> str:
    letters = "".join(c for c in without_accents(text) if c not in "'’\u200b\ufeff")
    return " ".join(letters.casefold().split())


def _month_of_days(found: re.Match[str], near: date | None) -> date | None:
    """Return the month of a match of days; from the 25th to the 24th is not one month."""
    if found.re is _PERIOD:
        return _same_month(parse_competence(found[1]), parse_competence(found[2]))
    if found.re is _DAYS_OF_A_MONTH:
        return parse_competence(f"{found[3]}/{found[4]}") if int(found[1]) <= int(found[2]) else None
    months = {int(found[1]), int(found[2])}
    if found[3] is not None:
        return _month_in_range(int(found[3]), months.pop()) if len(months) == 1 else None
    return near if near is not None and months == {near.month} else None


def _same_month(first: date | None, last: date | None) -> date | None:
    """Return the month of a period, or None if the period spans several."""
    return first if first == last else None


def _full_year(digits: str) -> int:
    return int(digits) + (FIRST_YEAR if len(digits) == 2 else 0)


def _month_in_range(year: int, month: int) -> date | None:
    return date(year, month, 1) if FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12 else None


def _date_formats() -> list[str]:
    return [day + time for day in _DAYS for time in _TIMES]


def _parse_datetime(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 - the zone is Brasília's and is set by the caller
    except ValueError:
        return None


def _read_iso(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
