"""Rules about personal data: how long it is kept, and what a person may ask for."""
