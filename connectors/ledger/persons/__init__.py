"""Personal data in the ledger: find what is held about one person, erase it, and end terms."""
