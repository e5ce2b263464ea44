"""The corrections workbook: the person's own sheet with its failing rows only, each with the tag of its old row."""
