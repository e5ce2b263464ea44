"""Compare words that differ by one typing error."""


def is_nearly(word: str, right: str) -> bool:
    """Return whether two words are equal but for one letter that is wrong, missing, added or moved by one place."""
    if abs(len(word) - len(right)) > 1:
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - slow to load, and most sheets have no unknown word

    return OSA.distance(word, right, score_cutoff=1) <= 1
