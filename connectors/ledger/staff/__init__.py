"""Store enrolled people, attempts to prove an identity, and one-time codes."""
