"""Check staged batches before their approval: four eyes, and differences from the month before."""
