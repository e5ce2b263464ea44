"""Master data at the provider, and what a sheet of it would change."""
