"""Previews: the forecast of a file before it is billed, or of a reading that the ledger stores."""
