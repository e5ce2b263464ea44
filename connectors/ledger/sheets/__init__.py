"""Rows of a sheet as they arrive, the rows that correct one another, and the secret of their tags."""
