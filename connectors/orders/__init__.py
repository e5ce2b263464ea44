"""The purchase-order service (document 002): its client, its field tables, and its emulator."""
