"""An HTTP emulator of the order service, built from `fields.toml` and independent of the client."""
