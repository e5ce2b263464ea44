"""The issuer port of service invoices: canonical fields to the provider's names, and its answers to our records."""
