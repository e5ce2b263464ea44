"""The data map: which table, column and file holds which class of personal data, why, and for how long."""
