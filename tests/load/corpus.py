"""Measure the reading of the corpus of small sheets: right, questioned, wrongly refused and silently wrong rows."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.corpus.all_habits import HABITS
from tests.corpus.habits import Habit, Verdict
from tests.corpus.reading import judged
from tests.load.table import Row

_MOST_REFUSED: float = 1.0


def rows(habits: Sequence[Habit] = HABITS) -> Iterator[Row]:
    counts: Counter[Verdict] = Counter()
    remarks: list[str] = []
    for habit in habits:
        for verdict, found in judged(habit):
            counts[verdict] += 1
            remarks += [found] if found else []
    total = sum(counts.values())
    billed = counts["right"] + counts["refused too much"]
    sheets = f"{len(habits)} sheets, {total} rows"
    yield Row("C1", "rows billed or left aside right", counts["right"], against=sheets)
    yield Row("C2", "rows asked back, as an accountant would", counts["asked"], against=sheets)
    refused = 100 * counts["refused too much"] / billed
    yield Row("C3", "rows refused too much", refused, _MOST_REFUSED, "of those to be billed", is_ceiling=True, unit="%")
    wrong = counts["silently wrong"]
    yield Row("C4", "rows silently wrong", wrong, 0, sheets, is_ceiling=True, remarks=tuple(remarks))
