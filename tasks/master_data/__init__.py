"""Master data from sheets: show the changes first, write them only on order."""
