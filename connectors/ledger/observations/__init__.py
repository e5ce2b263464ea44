"""Observations of batches and invoices at the provider, and the work and doubts that they leave open."""
