"""Parsers of cells and columns: texts, numbers, documents, cities."""
