"""Reasons to hold a row until a person releases it."""
