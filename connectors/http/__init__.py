"""The only place that speaks HTTP."""
