"""Workbooks and CSV about orders and what was paid for them."""
