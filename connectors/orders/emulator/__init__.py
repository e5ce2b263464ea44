"""The order service emulated over HTTP, built from `fields.toml`; never sees the client."""
