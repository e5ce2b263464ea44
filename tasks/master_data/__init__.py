"""Master data from sheets: show the changes first, and write them only after a person agrees."""
