"""Fixtures of the fault stories, for every test of this folder."""

from tests.faults.sales_theatre import sales_theatre
from tests.faults.theatre import theatre

__all__ = ["sales_theatre", "theatre"]
