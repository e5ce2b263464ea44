"""What people see: the overview of the ledger, the page of a run, the history of one invoice."""
