"""Compose product invoices (NF-e, NFC-e) from the lines of a sheet: a shop's everyday sales, to the cent.

`lines` and `orders` hold what the sheet says, `invoices` composes an order, `canonical` is what comes out of it. The
rules refuse every sale that they do not know.
"""
