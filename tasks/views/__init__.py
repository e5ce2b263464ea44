"""What people look at: the state of the ledger, the preview of a reading, the story of one invoice."""
