"""Product sheets: the rows of an order become one invoice, and the customer travels with it."""
