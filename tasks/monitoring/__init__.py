"""Monitoring: metrics for Prometheus, whether the process is alive, whether it can work."""
