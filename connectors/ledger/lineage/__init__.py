"""Which row corrects which, and what all rows of one charge have in common."""
