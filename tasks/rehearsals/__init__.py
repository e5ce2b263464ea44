"""Rehearse a month: run the same stations on a copy of the ledger, against a provider on this machine."""
