"""The corrections workbook: the person's sheet with its failing rows only, each tagged with its original row."""
