"""Sheets: read a dropped file's bytes, name its kind, choose or teach the mapping of its columns, write blank ones."""
