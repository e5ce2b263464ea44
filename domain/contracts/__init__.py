"""Contracts: recurring charges, what each of them bills in a month, and why it bills nothing."""
