"""What is erased from a stored value, and how long tax documents are stored."""

from datetime import date

import pytest

from domain.personal_data import ERASED, FISCAL_YEARS, bare_problems, erasable_from, without_contacts
from domain.problems import Problem, Where


def test_contacts_go_at_any_depth_and_the_rest_stays():
    body = {
        "name": "Ana",
        "emails": ["a@x.test"],
        "address": {"city": "Rio", "phone_number": "21"},
        "list": [{"email": 1}],
    }
    assert without_contacts(body) == {"name": "Ana", "address": {"city": "Rio"}, "list": [{}]}
    assert without_contacts(None) is None


def test_a_problem_keeps_code_field_and_place_only():
    problem = Problem("document.invalid", "document", Where(sheet="A", row=7), {"text": "529.982.247-26"}).to_json()
    (bare,) = bare_problems([problem])
    assert bare == {**problem, "params": {"text": ERASED}}
    assert Problem.from_json(bare).code == "document.invalid"


@pytest.mark.parametrize(
    ("month", "end"), [(date(2026, 1, 1), 2032), (date(2026, 12, 1), 2032), (date(2027, 1, 1), 2033)]
)
def test_a_term_begins_with_the_year_after_the_competence(month, end):
    assert erasable_from(month, years=FISCAL_YEARS) == date(end, 1, 1)
