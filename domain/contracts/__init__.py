"""Contracts: recurring charges, what each contract bills in a month, and why it may bill nothing."""
