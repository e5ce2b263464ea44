"""Views for people: the state of the ledger, the page of a run, the story of one invoice."""
