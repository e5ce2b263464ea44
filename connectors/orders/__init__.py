"""The purchase-order service (document 002): the client of its read side, its field tables, and its emulator."""
