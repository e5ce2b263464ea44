"""What the twins of all systems share: field checks, envelopes, faults, clock and store."""
