"""Corrections: rows that go back to be corrected, and rows that return corrected."""
