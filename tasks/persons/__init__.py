"""Requests of persons under the LGPD: what the ledger holds about them, and its erasure."""
