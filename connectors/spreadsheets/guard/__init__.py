"""Guarded processes: a file from outside is opened where it can exhaust or crash nothing of ours."""
