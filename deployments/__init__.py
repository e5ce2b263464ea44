"""Schedule and serve the flows."""
