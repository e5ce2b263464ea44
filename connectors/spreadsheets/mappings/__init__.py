"""What a sender's headers mean, once a person has said so: kept, and used for the files that it was said of."""
