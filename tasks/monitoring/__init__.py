"""What machines ask about us: figures for Prometheus, whether the process is alive, whether it can work."""
