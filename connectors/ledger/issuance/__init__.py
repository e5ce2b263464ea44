"""Issuance in the ledger: batch leases, invoices that wait to be posted, and the start and outcome of posts."""
