"""HTTP for all connectors: sessions, credentials, errors, retries and pages."""
