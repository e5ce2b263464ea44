"""Compose product invoices (NF-e, NFC-e) from the lines of a sheet: a shop's everyday sales, to the cent.

`lines` and `orders` hold the sheet's content, `invoices` composes an order, `canonical` is the result. The rules refuse
every kind of sale that they do not know.
"""
