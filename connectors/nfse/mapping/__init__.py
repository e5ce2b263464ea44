"""How the canonical words become this provider's wire names, and its answers ours (document 000)."""
