"""The mirror: a local copy of the order service's orders and paid invoices, never a source of an invoice's state."""
