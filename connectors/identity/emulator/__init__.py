"""An HTTP emulator of the identity service, built from `fields.toml` and independent of the client."""
