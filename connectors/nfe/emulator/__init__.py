"""The product-invoice provider emulated over HTTP, built from `fields.toml`; never sees the client."""
