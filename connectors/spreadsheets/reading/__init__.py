"""Reading of one file: opened in a guarded process, its cells handed over as plain data."""
