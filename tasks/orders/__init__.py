"""Orders: mirror the order service into the ledger, and write workbooks from the mirror."""
