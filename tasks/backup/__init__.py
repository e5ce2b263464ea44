"""Looking after the ledger: copies, what a restored one has to explain, and the audit of numbers."""
