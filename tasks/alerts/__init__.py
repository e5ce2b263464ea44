"""Alerts: conditions that a person should know of, found in the ledger or raised by a run; each is sent once."""
