"""The shared parts of all emulators: field checks, envelopes, faults, clock and store."""
