"""Files that people dropped into a folder: which there are, and whether one is still being written."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEEPEST: Final = 3
"""In how many folders, one within the other, a file may lie: a month, an emitter and a sender."""
_UNFINISHED: Final = frozenset({".part", ".partial", ".tmp", ".crdownload", ".download"})
# office programs keep their locks, and systems their notes, beside the files
_NOT_DROPPED: Final = (".", "~$", "~")
_SYSTEM: Final = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Drop:
    """A file as it was just seen. `folders` are the names of the folders between the inbox and it."""

    path: Path
    folders: tuple[str, ...]
    size: int
    changed_ns: int

    def is_unchanged(self) -> bool:
        """Whether it is still there as it was seen."""
        try:
            now = self.path.lstat()
        except OSError:
            return False
        return (now.st_size, now.st_mtime_ns) == (self.size, self.changed_ns)


def dropped_files(inbox: Path) -> list[Drop]:
    """The files of the inbox and of its folders, oldest first. Links, hidden files and half-written ones are no drops.

    A link could lead anywhere: it is never followed.
    """
    found = [*_drops(inbox, ())] if inbox.is_dir() else []
    return sorted(found, key=lambda drop: (drop.changed_ns, drop.path))


def unread_folders(inbox: Path) -> list[Path]:
    """The folders that lie too deep to be looked into, and have a file somewhere within."""
    found = [*_too_deep(inbox, 0)] if inbox.is_dir() else []
    return sorted(folder for folder in found if any(_may_be_dropped(file) for file in _files_within(folder)))


def _too_deep(folder: Path, depth: int) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if _is_apart(entry) or not entry.is_dir():
                continue
            if depth < DEEPEST:
                yield from _too_deep(Path(entry.path), depth + 1)
            else:
                yield Path(entry.path)


def _files_within(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(_NOT_DROPPED)]
        yield from files


def _may_be_dropped(name: str) -> bool:
    is_apart = name.startswith(_NOT_DROPPED) or name.lower() in _SYSTEM
    return not is_apart and Path(name).suffix.lower() not in _UNFINISHED


def _is_apart(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() or entry.name.startswith(_NOT_DROPPED) or entry.name.lower() in _SYSTEM


def _drops(folder: Path, folders: tuple[str, ...]) -> Iterator[Drop]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if _is_apart(entry):
                continue
            if entry.is_dir() and len(folders) < DEEPEST:
                yield from _drops(Path(entry.path), (*folders, entry.name))
                continue
            seen = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(seen.st_mode) and _may_be_dropped(entry.name):
                yield Drop(Path(entry.path), folders, seen.st_size, seen.st_mtime_ns)
