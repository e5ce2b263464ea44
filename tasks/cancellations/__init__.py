"""Cancellations as people ask for them: which invoices, why, until when, and who agrees."""
