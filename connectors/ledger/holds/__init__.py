"""A worker and its batch: what begins and ends a hold on it."""
