"""The ledger: the only record of all readings, numbers, posts, approvals and observations, in SQLite or PostgreSQL."""
