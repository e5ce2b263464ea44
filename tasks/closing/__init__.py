"""The end of a month: what is still open, the closing, its reports, and what changed afterwards."""
