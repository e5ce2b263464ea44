"""The database: engines for SQLite and PostgreSQL, the ledger's file, its errors, and the two SQL dialects."""
