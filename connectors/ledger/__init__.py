"""The ledger: the only record of what was read, reserved, posted, approved and seen, in SQLite or PostgreSQL."""
