"""What stands between a staged batch and a yes: four eyes, and what is unlike the month before."""
