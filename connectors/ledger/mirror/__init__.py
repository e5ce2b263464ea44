"""The mirror of the order service under our own keys: a source of reports, never of an invoice's state."""
