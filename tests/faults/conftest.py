"""Fixtures of the fault stories, for every test of this folder."""

from tests.faults.counter import counter
from tests.faults.theatre import theatre

__all__ = ["counter", "theatre"]
