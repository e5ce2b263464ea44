"""The reports leg: the order service mirrored into the ledger, and workbooks written from the mirror."""
