"""How a file's rows come into the ledger, a part at a time."""
