"""The issuer port of service invoices: map canonical words to this provider's wire names, and its answers to ours."""
