"""The migration steps, by number."""
