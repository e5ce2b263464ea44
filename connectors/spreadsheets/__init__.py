"""Workbooks read and written."""
