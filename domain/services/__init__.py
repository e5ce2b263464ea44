"""Rules of service invoices: the row of a sheet, the codes of a service, and the invoice that a row becomes."""
