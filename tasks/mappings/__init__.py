"""Headers that nobody could know: taught once by a person, used from then on, and said each time."""
