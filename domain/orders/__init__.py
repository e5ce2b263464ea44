"""Purchase orders and what was paid for them, as the reports know them."""
