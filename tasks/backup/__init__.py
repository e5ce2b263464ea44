"""Backup: copies of the ledger, the check of a restored ledger, and the audit of numbers."""
