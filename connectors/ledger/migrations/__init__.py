"""Migrations of the ledger, and the guards that they create. A released migration is never edited."""
