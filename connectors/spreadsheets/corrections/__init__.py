"""The corrections workbook: the person's own sheet with its failing rows alone, each knowing which row it was."""
