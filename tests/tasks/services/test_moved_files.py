"""A sheet whose closed month a person changed waits for an answer, and an ordinary sheet of the next month does not."""

from pathlib import Path

import pytest

from domain.competence import format_competence
from tests.tasks.closing.months import LAST_MONTH, mark_closed
from tests.tasks.corrections.rounds import FIRST, bill, edited, problems_of, put, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.rows import line, lines, this_month
from tests.tasks.workshop import Workshop

ASKED = {row: ["row.file_moved_question"] for row in (5, 6, 7)}
BEFORE, NOW = format_competence(LAST_MONTH), format_competence(this_month())


def refused(shop: Workshop) -> None:
    """Bill three rows of a month, close it, and drop a copy with a fourth row, which is refused."""
    shop.assembled(*lines(3, competence=LAST_MONTH))
    shop.write(mark_closed)
    reading, _ = shop.assembled(*lines(4, competence=LAST_MONTH))
    assert shop.problems(reading)[8] == ["closing.closed"]


def problems(shop: Workshop, *asked, **options) -> dict[int, list[str]]:
    return shop.problems(shop.assembled(*asked, **options)[0])


def test_a_file_whose_closed_month_was_changed_is_asked_about(each_shop: Workshop):
    shop = each_shop
    refused(shop)
    reading, batches = shop.assembled(*lines(4))
    assert shop.problems(reading) == ASKED
    assert [shop.batch(batch).count for batch in batches] == [1]
    params = shop.rows(reading)[0].problems[0].params
    assert {name: params[name] for name in ("file", "equal", "count", "missing", "month")} == {
        "file": "mes-1.xlsx", "equal": 3, "count": 4, "missing": 0, "month": BEFORE,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "found"), [("additional", {}), ("correction", {row: ["row.corrects_billed"] for row in (5, 6, 7)})]
)
def test_a_person_answers_for_the_file(shop: Workshop, answer: str, found: dict[int, list[str]]):
    refused(shop)
    assert problems(shop, *lines(4), answer=answer) == found


def test_few_rows_of_a_billed_file_are_asked_about_too(shop: Workshop):
    refused(shop)
    asked = [line(1), *lines(9, first=4)]
    # two rows of that file have no equal here, so that any row may be a changed one
    assert problems(shop, *asked) == {row: ["row.file_moved_question"] for row in range(5, 15)}


def test_keys_that_come_back_every_month_are_no_answer(shop: Workshop):
    shop.assembled(*(line(n, own_key=f"K-{n}", competence=LAST_MONTH) for n in (1, 2, 3)))
    shop.write(mark_closed)
    problems(shop, *(line(n, own_key=f"K-{n}", competence=LAST_MONTH) for n in (1, 2, 3, 4)))
    assert problems(shop, *(line(n, own_key=f"K-{n}") for n in (1, 2, 3, 4))) == ASKED


@pytest.mark.parametrize("count", [3, 4])
def test_the_next_months_sheet_is_billed_without_a_question(shop: Workshop, count: int):
    shop.assembled(*lines(3, competence=LAST_MONTH))
    shop.write(mark_closed)
    problems(shop, *lines(3, competence=LAST_MONTH))
    assert problems(shop, *lines(count)) == {}


def test_a_refused_row_that_is_not_in_the_file_asks_nothing(shop: Workshop):
    refused(shop)
    assert problems(shop, *lines(3)) == {}


def test_a_refused_row_that_was_billed_since_asks_nothing(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    rows = [cells(number, Competência=BEFORE) for number in (1, 2, 3)]
    bill(shop, write_month(tmp_path / "mes.xlsx", rows[:2]))
    shop.write(mark_closed)
    copy = write_month(tmp_path / "copia.xlsx", rows)
    bill(shop, copy)
    assert problems_of(bill(shop, edited(returned(shop, copy), tmp_path / "c.xlsx", put("Competência", NOW)))) == {}
    following = write_month(tmp_path / "novo.xlsx", [cells(number) for number in (1, 2, 3)])
    assert problems_of(bill(shop, following)) == {FIRST + 2: ["row.living"]}
