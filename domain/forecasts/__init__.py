"""Forecasts: the notes, months, requests and quota of a file, before anything is posted."""
