"""The archive of dropped files: unchanged bytes, under a name that no outsider can choose."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

from slugify import slugify

NAME_LENGTH: Final = 60
_SHA256_LENGTH: Final = 64
_SUFFIX_LENGTH: Final = 5


def archive(content: bytes, *, sha256: str, name: str, folder: Path) -> Path:
    """Store the bytes in `folder` under their digest and the file's cleaned name; the same bytes are stored once.

    Raises `ValueError` when `sha256` is not the digest of `content`.
    """
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("the digest is not of these bytes")
    target = archived(sha256, name=name, folder=folder)
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # an observer of the name always finds the whole file, also after a power cut
        Path(partial).replace(target)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return target


def archived(sha256: str, *, name: str, folder: Path) -> Path:
    """Return the path of the bytes with this digest: `<folder>/ab/abcdef….xlsx`, or the digest with another name.

    Raises `ValueError` when `sha256` is not a digest.
    """
    if len(sha256) != _SHA256_LENGTH or set(sha256) - set("0123456789abcdef"):
        raise ValueError("not a SHA-256 digest")
    place = placed(sha256, name=name, folder=folder)
    return next(iter(sorted(place.parent.glob(f"{sha256}-*"))), place)


def placed(sha256: str, *, name: str, folder: Path) -> Path:
    """Return the path at which bytes are kept under this name, without a look at the disk."""
    return folder / sha256[:2] / f"{sha256}-{_cleaned(name)}"


def _cleaned(name: str) -> str:
    # the last part after either system's separator: a name from outside never chooses a folder
    last = name.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = last.rpartition(".")
    if not dot:
        stem, suffix = last, ""
    kept = slugify(suffix)[:_SUFFIX_LENGTH]
    return (slugify(stem)[:NAME_LENGTH] or "sem-nome") + (f".{kept}" if kept else "")
