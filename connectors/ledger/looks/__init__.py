"""What looking at the provider shows: how doubts end, how far notes and batches have come, when to look again."""
