"""What staging asks of a batch: its lease, its invoices that wait to be posted, and the questions around them."""
