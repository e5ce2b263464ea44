"""Store the people who may act here, their attempts to prove their identity, and their one-time codes."""
