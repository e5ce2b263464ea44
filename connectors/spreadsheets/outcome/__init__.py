"""The pages of the outcome workbook and their formats."""
