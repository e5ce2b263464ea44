"""Cancellations that people ask for: which invoices, why, until when, and who approves."""
