"""Master data taken from sheets: shown first, written only when asked to."""
