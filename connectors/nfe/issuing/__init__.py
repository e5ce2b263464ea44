"""The issuer port of product invoices: map canonical invoices to the provider's JSON, and its answers to our words.

`documents` turns a canonical invoice into what is posted, `items` its products and their taxes; `answers` reads the
provider's statuses and the sale that it repeats; `issuer` implements the port with them.
"""
