"""Canonical product invoices and the provider's JSON: what we ask for, and what its answers mean in our words.

`documents` turns a canonical invoice into what is posted, `items` its products and their taxes; `answers` reads the
provider's statuses and the sale that it repeats.
"""
