"""Product sheets: the rows of an order become one invoice, which contains the customer's data."""
