"""Sheets of master data: customers."""
