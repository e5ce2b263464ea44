"""How the flows are scheduled and served."""
