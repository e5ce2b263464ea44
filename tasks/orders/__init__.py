"""Orders: mirror the order service into the ledger, write workbooks from the mirror, and judge its payments."""
