"""The database: engines for SQLite and PostgreSQL, the ledger's file, its errors, and how the two dialects differ."""
