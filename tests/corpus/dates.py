"""Months and days as people write them."""

from collections.abc import Iterator
from datetime import date, datetime

from domain.competence import BRASILIA
from tests.corpus.habits import HEAD, NOVEMBER, Habit, ask, bill, good
from tests.corpus.sheets import table

_MONTHS = (
    "11/2026", "nov/26", "Novembro/2026", "202611", "ref. 11/2026", "01/11 a 30/11", "01/11/2026 a 30/11/2026",
    "11-2026",
    "2026-11", "novembro de 2026", "Ref.: nov/2026", "NOV-26", "competência 11/2026", "11.2026", "20/11/2026", "11/26",
    date(2026, 11, 1), datetime(2026, 11, 15)  # noqa: DTZ001 - a cell has no zone
    , 202611.0, "2026/11", "1/11/2026", "nov 2026", "mês 11/2026", "nov.26",
)  # fmt: skip
_NO_MONTHS = ("11/12", "próximo mês", "1º trimestre", "13/2026", "out a dez/2026", "01/10/2026 a 30/11/2026")
_DAY = datetime(2026, 11, 20, tzinfo=BRASILIA)
_DAYS = (
    "20/11/2026", "20/11/26", "2026-11-20", "20.11.2026", "20-11-2026", "20/nov/26", "20 de novembro de 2026",
    date(2026, 11, 20),
    "20/11/2026 00:00", "2026-11-20T00:00:00", 46346.0, "20-nov-2026", "20 nov 2026", "Sexta, 20/11/2026",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    for number, text in enumerate(_MONTHS):
        content = table(good(1, text), head=[*HEAD, "Competência"])
        yield Habit(f"month_{number}", content, "a.xlsx", {2: bill(10_001, competence=NOVEMBER)})
    for number, text in enumerate(_NO_MONTHS):
        content = table(good(1, text), head=[*HEAD, "Competência"])
        yield Habit(f"month_bad_{number}", content, "a.xlsx", {2: ask("competence.unreadable")})
    for number, text in enumerate(_DAYS):
        content = table(good(1, text), head=[*HEAD, "Data de Emissão"])
        yield Habit(f"day_{number}", content, "a.xlsx", {2: bill(10_001, emission_at=_DAY)})
    for number, text in enumerate(("-", "n/a", None)):
        content = table(good(1, text), head=[*HEAD, "Data de Emissão"])
        yield Habit(f"day_none_{number}", content, "a.xlsx", {2: bill(10_001, emission_at=None)})
    for number, text in enumerate(("31/02/2026", "11/20/2026", "a definir", "20/11")):
        content = table(good(1, text), head=[*HEAD, "Data de Emissão"])
        yield Habit(f"day_bad_{number}", content, "a.xlsx", {2: ask("date.unreadable")})
