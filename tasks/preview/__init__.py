"""Previews: what a file would bill, judged without a write, or read from a reading in the ledger."""
