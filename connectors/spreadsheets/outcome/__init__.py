"""The pages of the outcome workbook and how they look."""
