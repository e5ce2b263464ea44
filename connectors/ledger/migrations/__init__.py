"""How a ledger came to have its tables, one step after the other. A released step is never edited."""
