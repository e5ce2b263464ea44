"""The issuer port of product invoices: canonical invoices to the provider's JSON, and its answers to our records.

`documents` turns a canonical invoice into a request, `items` its products and their taxes. `answers` reads the
provider's statuses, and the sale that an answer repeats. `issuer` implements the port.
"""
