"""Compare words that differ by one typing error."""

from typing import Final

_LETTERS_AT_MOST: Final = 2
"""The most letters that only one of two words has, if they differ by one typing error: the wrong and the right one."""


def is_nearly(word: str, right: str) -> bool:
    """Return whether two words are equal but for one letter that is wrong, missing, added or moved by one place."""
    if abs(len(word) - len(right)) > 1 or len(set(word) ^ set(right)) > _LETTERS_AT_MOST:
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - slow to load, and few words have so many letters in common

    return OSA.distance(word, right, score_cutoff=1) <= 1
