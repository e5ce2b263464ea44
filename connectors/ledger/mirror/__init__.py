"""What the order service told us, under keys of our own: the source of reports, and never of an invoice's state."""
