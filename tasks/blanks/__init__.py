"""Workbooks to fill in, with the lists of this account."""
