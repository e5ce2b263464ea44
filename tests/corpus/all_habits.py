"""All habits, by topic."""

from typing import Final

from tests.corpus import (
    amounts,
    beside,
    colours,
    contractors,
    contradictions,
    customers,
    dates,
    departments,
    exceptions,
    formats,
    held,
    industries,
    layout,
    ledgers,
    oddities,
    offices,
    orders,
    parts,
    periods,
    practices,
    results,
    shops,
    strangers,
    trades,
)
from tests.corpus.habits import Habit

HABITS: Final[tuple[Habit, ...]] = tuple(
    habit
    for part in (
        held,
        colours,
        amounts,
        beside,
        customers,
        layout,
        dates,
        formats,
        strangers,
        industries,
        oddities,
        offices,
        practices,
        ledgers,
        shops,
        orders,
        parts,
        periods,
        trades,
        contractors,
        exceptions,
        contradictions,
        departments,
        results,
    )
    for habit in part.habits()
)
