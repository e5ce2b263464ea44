"""The rules of invoice numbers: only we may use the serie, because a number used twice harms another customer.

In São Paulo, reusing an RPS number within about six months silently cancels the earlier invoice [A notes 1.29]. So
numbers always come from us [A notes 1.28], and a serie that anybody else uses stops the pipeline.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from domain.problems import Problem


@dataclass(frozen=True, slots=True)
class NumberRules:
    """The form of a serie, the problem code for a wrong form, and the highest number of the serie."""

    serie: re.Pattern[str]
    code: str
    last_number: int


_NFSE_WORDS: Final = ("nfs-e", "nfse")
_LONGEST_NFSE: Final = 20
_GROUP: Final = 3

SERVICE_NUMBERS: Final = NumberRules(re.compile(r"[0-9A-Za-z]{1,5}"), "serie.invalid", 9_999_999_999)
"""Document 000, NFSe: `serie`, five characters; `number`, ten digits."""
PRODUCT_NUMBERS: Final = NumberRules(re.compile(r"[1-9][0-9]{0,2}"), "serie.not_a_product_serie", 999_999_999)
"""Document 001, dados_gerais: `serie`, three digits; `nfe_numero`, nine. The access key has room for no more either."""


@dataclass(frozen=True, slots=True)
class SerieReading:
    """What the provider shows about a serie. A field is None if the provider has no record or no latest invoice."""

    latest_number: int | None
    latest_note_is_ours: bool | None


@dataclass(frozen=True, slots=True)
class SerieVerdict:
    """The decision about a serie.

    `ok`: continue. `first_use`: begin at `start`. `shared`: stop until a person confirms `start` or names another
    serie.
    """

    kind: Literal["ok", "first_use", "shared"]
    start: int | None = None
    problem: Problem | None = None


def check_serie(reading: SerieReading, *, highest_posted: int, is_started: bool, first_number: int = 1) -> SerieVerdict:
    """Decide whether we may reserve numbers on a serie.

    `is_started`: the ledger has the serie. `highest_posted` is the highest number that we ever posted there (0 = none).
    `first_number` is where a person let the serie begin; lower numbers are known to be somebody else's. Whether the
    provider's `latest_number` counts created invoices or only issued ones is unknown [A notes 1.28]. So it never
    advances our numbers: it gives the start at first use, and later only a reason to stop.
    """
    latest = reading.latest_number or 0
    if not is_started:
        if latest == 0 and reading.latest_note_is_ours is not False:
            return SerieVerdict("first_use", start=1)
        problem = Problem("serie.in_use", "serie", params={"latest": latest, "start": latest + 1})
        return SerieVerdict("shared", start=latest + 1, problem=problem)
    known = max(highest_posted, first_number - 1)
    if latest > known:
        problem = Problem("serie.ahead", "serie", params={"latest": latest, "ours": known, "start": latest + 1})
        return SerieVerdict("shared", start=latest + 1, problem=problem)
    if reading.latest_note_is_ours is False and (latest == 0 or latest >= first_number):
        problem = Problem("serie.foreign_note", "serie", params={"latest": latest, "start": known + 1})
        return SerieVerdict("shared", start=known + 1, problem=problem)
    return SerieVerdict("ok")


def read_place(text: str) -> tuple[str, int] | None:
    """Return serie and number of a service invoice from `F-123` or `F 123`, or None."""
    serie, _, number = text.strip().replace(" ", "-").rpartition("-")
    serie = serie.rstrip("-")
    if not SERVICE_NUMBERS.serie.fullmatch(serie) or not (number.isascii() and number.isdecimal()):
        return None
    if not 1 <= len(number.lstrip("0")) <= len(str(SERVICE_NUMBERS.last_number)):
        return None
    return serie, int(number)


def place_text(serie: str, number: int) -> str:
    """Return serie and number as one text, for example `F-123`. `read_place` is the inverse."""
    return f"{serie}-{number}"


def read_nfse(text: str) -> str | None:
    """Return the city's number of an issued invoice from `118`, `1.234`, `2026/118` or `NFS-e 118`, or None."""
    number = "".join(text.casefold().split())
    for word in _NFSE_WORDS:
        number = number.removeprefix(word)
    year, slash, rest = number.rpartition("/")
    rest = _remove_grouping(rest)
    number = f"{year}{slash}{rest}"
    is_number = all(each.isascii() and each.isdecimal() for each in ((year, rest) if year else (rest,)))
    return number if is_number and len(number) <= _LONGEST_NFSE and not number.startswith("/") else None


def _remove_grouping(number: str) -> str:
    """Remove the points between groups of three digits."""
    first, *groups = number.split(".")
    is_grouped = 1 <= len(first) <= _GROUP and all(len(group) == _GROUP for group in groups)
    return first + "".join(groups) if is_grouped else number


def nfse_spellings(text: str) -> tuple[str, ...]:
    """Return the spellings of a city's number with any count of leading zeros; of another text only itself.

    People and spreadsheet programs drop the zeros of `000001234`, and printed invoices add them.
    """
    number = read_nfse(text)
    if number is None:
        return (text.strip(),)
    year, slash, rest = number.rpartition("/")
    head, bare = year + slash, rest.lstrip("0") or "0"
    widths = range(len(bare), _LONGEST_NFSE - len(head) + 1)
    return tuple(dict.fromkeys((text.strip(), *(head + bare.zfill(width) for width in widths))))


def nfse_text(number: str) -> str:
    """Return a text with an NFS-e number that `read_nfse` reads and `names_nfse` recognises."""
    return f"NFS-e {number}"


def names_nfse(text: str) -> bool:
    """Return whether the words in a text show that its number is the city's, not ours."""
    return text.casefold().startswith(_NFSE_WORDS)


def serie_problem(serie: str, rules: NumberRules) -> Problem | None:
    """Return why a text cannot be a serie, or None."""
    if rules.serie.fullmatch(serie):
        return None
    return Problem(rules.code, "serie", params={"serie": serie[:20]})


def start_problem(start: int, rules: NumberRules) -> Problem | None:
    """Return why a serie cannot begin at this number, or None."""
    if 1 <= start <= rules.last_number:
        return None
    return Problem("serie.no_number", "serie", params={"start": start, "limit": rules.last_number})


def number_problem(last_number: int, rules: NumberRules) -> Problem | None:
    """Return a problem if the serie has no number as high as `last_number`, or None."""
    if 1 <= last_number <= rules.last_number:
        return None
    return Problem("serie.exhausted", "serie", params={"limit": rules.last_number})
