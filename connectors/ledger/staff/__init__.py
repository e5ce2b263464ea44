"""The people who work here, as the ledger has them: enrolment, attempts to prove an identity, one-time codes."""
