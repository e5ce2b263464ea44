"""Everything outside: HTTP systems, the ledger, spreadsheets. Knows neither Prefect nor profiles."""
