"""What the provider showed of batches and invoices, and what stands open or in doubt since."""
