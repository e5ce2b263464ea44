"""Sheets: read a dropped file, recognise its kind, choose or teach its column mapping, write blank workbooks."""
