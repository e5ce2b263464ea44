"""Cut the XML of a part into pieces that are searched one after the other."""

from collections.abc import Iterator
from typing import Final

_STRIDE: Final = 1 << 20


def pieces(data: bytes, mark: bytes) -> Iterator[bytes]:
    """Yield the bytes in pieces of about a megabyte, each but the first beginning with `mark`.

    One search of the whole would hold the GIL too long, and a million matches at once need much memory.
    """
    start = 0
    while 0 <= start < len(data):
        end = data.find(mark, start + _STRIDE)
        yield data[start : end if end > 0 else None]
        start = end
