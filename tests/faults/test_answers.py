"""Answers that never come, come late or come broken: the work was done, and it must not be done again."""

import pytest

from tests.faults.evidence import Record
from tests.faults.theatre import Theatre, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_POSTS = ("takers.create", "batches.create", "notes.create", "batches.send")


def test_answers_lost_on_a_tenth_of_the_posts(theatre: Theatre) -> None:
    theatre.sandbox.faults(*(rule(post, "lose_answer", share=0.1, seed=place) for place, post in enumerate(_POSTS)))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(60))))

    evidence = theatre.check()
    assert any(attempt["outcome"] == "doubtful" for attempt in evidence.ledger["attempts"])


_TROUBLES: dict[str, list[Record]] = {
    "nothing": [],
}


@pytest.mark.parametrize("rules", _TROUBLES.values(), ids=_TROUBLES)
def test_one_kind_of_trouble(theatre: Theatre, rules: list[Record]) -> None:
    theatre.sandbox.faults(*rules)

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(20, emitters=[RIO]))))

    theatre.check()
