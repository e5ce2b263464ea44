"""Sheets of master data: customers, templates, emitters, contracts and price indexes."""
