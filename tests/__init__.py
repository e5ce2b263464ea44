"""The suite. A real package at its top only, so that `tests.sandboxes` is importable from every worker."""
