"""Fixtures of the stories, for every test of this folder."""

from tests.faults.theatre import theatre

__all__ = ["theatre"]
