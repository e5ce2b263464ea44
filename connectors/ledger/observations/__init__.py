"""Store what the provider shows of invoices, settle doubts, and query open work, totals and sizes."""
