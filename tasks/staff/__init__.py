"""Identify the acting person for every command and form, and change enrolments."""
