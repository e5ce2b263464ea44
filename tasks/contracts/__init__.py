"""Contracts: taken from a workbook, changed by commands, charged month by month."""
