"""Workbooks: reading, parsing and writing."""
