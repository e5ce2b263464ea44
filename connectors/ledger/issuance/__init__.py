"""Issuance in the ledger: the lease of a batch, its invoices that wait to be posted, and the journal of each post."""
