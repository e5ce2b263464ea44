"""Keeping a ledger safe: copies of it, what was restored from one, and whether it still agrees with its own journal."""
