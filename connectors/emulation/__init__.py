"""What the emulators of all systems share: field checks, envelopes, faults, clock and store."""
