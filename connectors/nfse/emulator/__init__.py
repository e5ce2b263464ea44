"""An HTTP emulator of the service-invoice provider, built from `fields.toml` and independent of the client."""
