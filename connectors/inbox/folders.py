"""Open folders of the inbox by descriptor, one by one, so that nobody can replace a folder in between."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_LONGEST_SUFFIX: Final = 20
_LONGEST_NAME: Final = 255


@contextmanager
def open_folder(root: Path, parts: Sequence[str], *, makes: bool = False) -> Iterator[int]:
    """Open the folder `parts` below the root and yield its descriptor. The root may be a link, its parts may not.

    Raises:
        OSError: A part is missing (unless `makes`), is a link, or is no folder.
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


def readable_name(name: str) -> str:
    """Return a file name as text, with a replacement character for invalid UTF-8 and unprintable characters."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def safe_name(name: str) -> str:
    """Return a readable file name of at most 255 bytes. Its suffix is short enough to follow another stem."""
    text = readable_name(name)
    suffix = Path(text).suffix
    if len(suffix) > _LONGEST_SUFFIX:
        text = text.removesuffix(suffix) + suffix[:_LONGEST_SUFFIX]
    if len(text.encode()) <= _LONGEST_NAME:
        return text
    suffix = Path(text).suffix
    stem = text.removesuffix(suffix).encode()[: _LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore")
    return stem + suffix
