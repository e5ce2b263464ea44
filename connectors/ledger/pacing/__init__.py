"""How fast each line to the outside may be used by all workers together, and when it rests."""
