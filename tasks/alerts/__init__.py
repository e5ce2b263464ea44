"""Alerts: what a person should be told, found in the ledger or raised by a run, and told once."""
