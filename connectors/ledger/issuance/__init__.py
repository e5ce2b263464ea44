"""Issuance in the ledger: batch leases, invoices that wait to be posted, and the journal of posts."""
