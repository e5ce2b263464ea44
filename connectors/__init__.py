"""Access to everything outside: HTTP systems, the ledger, spreadsheets. Imports neither Prefect nor profiles."""
