"""Replace issued invoices: write the sheet that bills the new ones, and confirm the end of the old ones."""
