"""Guarded processes: they open untrusted files, which can neither exhaust nor crash our own processes."""
