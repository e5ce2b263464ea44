"""Rows of a sheet on arrival, families of rows that correct one another, and the secret of row tags."""
