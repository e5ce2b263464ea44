"""Contracts: import them from a workbook, change them by commands, charge them each month."""
