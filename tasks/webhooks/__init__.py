"""Receive deliveries of webhooks: a claim brings the next look at a batch forward and changes nothing else."""
