"""How fast and how much at once: one pace for all workers, rest after failures, a crew of hands for all batches."""
