"""The ledger: the database of all readings, numbers, posts, approvals and observations, in SQLite or PostgreSQL."""
