"""What a file would come to: judged without writing anything, or told of a reading that is in the ledger."""
