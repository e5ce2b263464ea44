"""Whom the rows of a reading bill, found without holding the reading in memory."""
