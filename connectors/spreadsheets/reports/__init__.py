"""Workbooks and CSV files about orders and their payments."""
