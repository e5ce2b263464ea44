"""Store what looks at the provider show of invoices, settle doubts, and query open work, totals and sizes."""
