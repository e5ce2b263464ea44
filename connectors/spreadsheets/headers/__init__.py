"""Headers: which column has which field."""
