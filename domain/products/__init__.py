"""Product invoices, NF-e and NFC-e: a shop's everyday sales, to the cent. What is outside of them is refused."""
