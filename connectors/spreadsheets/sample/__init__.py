"""A believable month of a finance team, for trying things out: equal month, equal bytes."""

from connectors.spreadsheets.sample.month import FAULTY_ROWS, write_sample_month

__all__ = ["FAULTY_ROWS", "write_sample_month"]
