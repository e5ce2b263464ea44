"""XML and PDF of issued invoices: fetch, store with digests, list and export them."""
