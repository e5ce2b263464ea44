"""The service-invoice provider (document 000): typed client, field tables and, separately, an emulator."""
