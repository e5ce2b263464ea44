"""The archive of what was dropped: the bytes unchanged, under a name that nobody outside can choose."""

from pathlib import Path


def archive(content: bytes, *, sha256: str, name: str, folder: Path) -> Path:
    """Keep the bytes in `folder` under their digest and the file's cleaned name; the same bytes are kept once.

    Raises `ValueError` when `sha256` is not the digest of `content`.
    """
    raise NotImplementedError
