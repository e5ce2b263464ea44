"""The steps, by number; each one's statements stand beside it, in each database's own words."""
