"""Corrected rows: recognise a corrected row as the successor of the refused row."""
