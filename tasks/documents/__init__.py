"""XML and PDF of issued invoices: fetched, kept with their digests, listed and exported."""
