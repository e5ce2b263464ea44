"""An HTTP emulator of the product-invoice provider, built from `fields.toml` and independent of the client."""
