"""The product-invoice provider (document 001): typed client, field tables and, separately, an emulator."""
