"""Find which column of a sheet has which field, by its header."""
