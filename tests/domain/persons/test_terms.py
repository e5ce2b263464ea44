"""Terms of tax documents."""

from datetime import date

import pytest

from domain.persons.terms import FISCAL_YEARS, kept_until


@pytest.mark.parametrize(
    ("month", "end"), [(date(2026, 1, 1), 2032), (date(2026, 12, 1), 2032), (date(2027, 1, 1), 2033)]
)
def test_a_term_begins_with_the_year_after_the_competence(month, end):
    assert kept_until(month, years=FISCAL_YEARS) == date(end, 1, 1)
