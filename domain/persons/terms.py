"""How long the law wants tax documents to be kept."""

from datetime import date
from typing import Final

FISCAL_YEARS: Final = 5
"""Years in which the tax authority may still assess a tax (CTN art. 173 and 195)."""


def kept_until(competence: date, *, years: int) -> date:
    """Return the first day on which an invoice of this competence need not be kept any more.

    The term runs from the first day of the year after the competence.
    """
    return date(competence.year + 1 + years, 1, 1)
