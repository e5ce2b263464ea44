"""Hear the deliveries of webhooks: what they claim makes the next look at a batch earlier, and nothing else."""
