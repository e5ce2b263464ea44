"""Every row of every habit is billed correctly or questioned: a silently wrong row fails."""

import pytest

from tests.corpus.all_habits import HABITS
from tests.corpus.habits import Habit
from tests.corpus.reading import judged


@pytest.mark.parametrize("habit", HABITS, ids=[habit.name for habit in HABITS])
def test_a_careful_accountant_would_do_the_same(habit: Habit):
    wrong = [found for verdict, found in judged(habit) if verdict in ("silently wrong", "refused too much")]
    assert not wrong, "\n".join(wrong)


def test_no_two_habits_have_one_name_and_there_are_enough():
    assert len({habit.name for habit in HABITS}) == len(HABITS) >= 150
