"""Getting on with a provider in trouble: one pace for all workers, rest after failures, and batches that take long."""
