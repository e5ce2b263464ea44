"""The reading of one file: a guarded process opens it and returns its cells as plain data."""
