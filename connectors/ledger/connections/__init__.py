"""Connections to the database: engines for SQLite and PostgreSQL, the ledger's file, and what can go wrong."""
