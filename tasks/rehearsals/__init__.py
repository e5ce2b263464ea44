"""Rehearse a month: a copy of the ledger, a provider on this machine, and the very same stations."""
