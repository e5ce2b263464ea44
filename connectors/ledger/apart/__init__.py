"""Writing the ledger from a process of its own."""
