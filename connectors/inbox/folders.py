"""Open folders of the inbox by descriptor, link by link, so that none can be swapped for another on the way."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_LONGEST_SUFFIX: Final = 20
_LONGEST_NAME: Final = 255


@contextmanager
def opened(root: Path, parts: Sequence[str], *, makes: bool = False) -> Iterator[int]:
    """Open the folder `parts` below the root and give its descriptor. The root may be a link, no part may.

    Raises:
        OSError: a part is missing, unless `makes`, or is a link or no folder.
    """
    descriptor = os.open(root, _FOLDER)
    try:
        for part in parts:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=descriptor)
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def readable(name: str) -> str:
    """Return a name from a disk as text: what is no UTF-8 or cannot be printed shows as a replacement character."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def safe_name(name: str) -> str:
    """Return a readable name that a folder can hold, with a suffix that can stand behind any other stem."""
    text = readable(name)
    suffix = Path(text).suffix
    if len(suffix) > _LONGEST_SUFFIX:
        text = text.removesuffix(suffix) + suffix[:_LONGEST_SUFFIX]
    if len(text.encode()) <= _LONGEST_NAME:
        return text
    suffix = Path(text).suffix
    stem = text.removesuffix(suffix).encode()[: _LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore")
    return stem + suffix
