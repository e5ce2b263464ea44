"""Copies of the ledger, restoring one, verifying and sealing the journal, and exports for an auditor."""
