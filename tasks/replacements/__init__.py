"""Replacements of issued invoices: the sheet that asks for them, and the look that confirms them."""
