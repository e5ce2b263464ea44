"""Receive webhook deliveries. A delivery brings the next look at a batch forward and changes nothing else."""
