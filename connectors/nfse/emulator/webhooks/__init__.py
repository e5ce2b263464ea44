"""Webhooks: who is to be told, and the courier that really tells them, over this machine's own sockets only."""
