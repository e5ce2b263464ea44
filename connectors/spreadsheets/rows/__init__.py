"""Decide what a row is: a billable line, a title, or a total."""
