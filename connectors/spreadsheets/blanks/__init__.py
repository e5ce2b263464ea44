"""Workbooks for people to fill in: the right headers, formats and lists, and what each column wants."""
