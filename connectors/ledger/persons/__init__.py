"""Personal data in the ledger: find the data about one person, erase them, and empty expired rows."""
