"""Migrations of the ledger, and the guards that they create. Never edit a released migration."""
