"""Sheets: read a dropped file, recognise its kind, choose or save its column mapping, write blank workbooks."""
