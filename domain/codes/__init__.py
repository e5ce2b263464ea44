"""Codes that laws and authorities number: how people spell them, and what they are."""
