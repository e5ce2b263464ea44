"""Purchase orders and their payments, as the reports show them."""
