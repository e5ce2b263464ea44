"""Test that a release answers the shown questions of a row while the row is unchanged."""

from typing import Any

import pytest

from domain.corrections.answers import ISS_UNUSUAL, NAME_DIFFERS, answered_questions, can_release

ROW: dict[str, Any] = {"taker": {"document": ["cnpj", "1"], "name": "Ana"}, "iss_bp": 700}
RELEASED = {**ROW, "is_released": True}


def test_a_release_answers_only_what_was_shown():
    assert answered_questions({NAME_DIFFERS, "held.status"}, ROW, RELEASED) == (NAME_DIFFERS,)
    assert answered_questions({"held.status"}, ROW, RELEASED) == ()
    assert answered_questions({NAME_DIFFERS}, ROW, ROW) == ()


def test_an_answer_stays_where_another_problem_sends_the_row_back():
    assert answered_questions({"template.unknown"}, {**RELEASED, "answered": [NAME_DIFFERS]}, ROW) == (NAME_DIFFERS,)


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (NAME_DIFFERS, {"taker": {"document": ["cnpj", "2"], "name": "Ana"}}),
        (NAME_DIFFERS, {"taker": {"document": ["cnpj", "1"], "name": "Bia"}}),
        (ISS_UNUSUAL, {"iss_bp": 800}),
    ],
)
def test_a_changed_row_is_questioned_again(code: str, changed: dict[str, Any]):
    assert answered_questions({code}, ROW, RELEASED) == (code,)
    assert answered_questions({code}, ROW, RELEASED | changed) == ()


def test_a_row_that_could_not_be_read_answers_nothing():
    assert answered_questions({NAME_DIFFERS}, None, RELEASED) == answered_questions({NAME_DIFFERS}, ROW, None) == ()


def test_only_held_rows_may_be_released():
    assert can_release({"held.status", "amount.blank"})
    assert can_release({ISS_UNUSUAL})
    assert not can_release({"amount.blank", "held.merged_amount"})
