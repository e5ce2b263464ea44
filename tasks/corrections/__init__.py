"""Rows that go back to be corrected, and rows that come back corrected."""
