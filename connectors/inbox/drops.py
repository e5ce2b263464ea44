"""Find the files that people dropped into a folder, and detect whether one is still being written."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from connectors.inbox.folders import open_folder

DEEPEST: Final = 3
"""The most nested folders of a file: a month, an emitter and a sender."""
_UNFINISHED: Final = frozenset({".part", ".partial", ".tmp", ".crdownload", ".download"})
# office programs and operating systems create such files beside the user's
_NOT_DROPPED: Final = (".", "~$", "~")
_SYSTEM: Final = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A file at the time it was seen.

    `folders` are the folder names between the inbox and the file. `owner` is the user id of the file's owner. `claim`
    is the private folder of a claimed file. `is_file` is False for a pipe, a socket or a device. `problem_code` is the
    code of the problem that prevents taking the file.
    """

    path: Path
    folders: tuple[str, ...]
    size: int
    changed_ns: int
    identity: tuple[int, int] = (0, 0)
    owner: int = -1
    claim: Path | None = None
    is_file: bool = True
    problem_code: str | None = None

    def is_unchanged(self) -> bool:
        """Return whether the file is still there and unchanged."""
        try:
            now = self.path.lstat()
        except OSError:
            return False
        return self.is_seen_in(now)

    def is_seen_in(self, now: os.stat_result) -> bool:
        """Return whether this is the same file, with the same size and time."""
        is_same = self.identity in ((0, 0), (now.st_dev, now.st_ino))
        return is_same and (now.st_size, now.st_mtime_ns) == (self.size, self.changed_ns)


def drop_of(path: Path, folders: tuple[str, ...], found: os.stat_result) -> Drop:
    """Return the drop for a file's `stat` result."""
    return Drop(
        path=path,
        folders=folders,
        size=found.st_size,
        changed_ns=found.st_mtime_ns,
        identity=(found.st_dev, found.st_ino),
        owner=found.st_uid,
        is_file=stat.S_ISREG(found.st_mode),
    )


def dropped_files(inbox: Path) -> list[Drop]:
    """Return the files in the inbox and its folders, oldest first, without hidden files, half-written ones and links.

    A suffix such as `.part` marks a half-written file. An unreadable folder becomes a `Drop` with `problem_code`.
    Follow no link, not even one that replaces a folder during the search: it could lead anywhere.
    """
    found = [*_drops(inbox, ())] if inbox.is_dir() else []
    return sorted(found, key=lambda drop: (drop.changed_ns, os.fsencode(drop.path)))


def unread_folders(inbox: Path) -> list[Path]:
    """Return the folders that are nested too deeply for `dropped_files` and contain a file."""
    found = [*_too_deep(inbox, 0)] if inbox.is_dir() else []
    return sorted(folder for folder in found if any(_may_be_dropped(file) for file in _files_within(folder)))


def _too_deep(folder: Path, depth: int) -> Iterator[Path]:
    for entry in _entries(folder):
        if _is_apart(entry) or not entry.is_dir(follow_symlinks=False):
            continue
        if depth < DEEPEST:
            yield from _too_deep(Path(entry.path), depth + 1)
        else:
            yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [*entries]
    except OSError:
        # `dropped_files` reports unreadable folders
        return []


def _files_within(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(_NOT_DROPPED)]
        yield from files


def _may_be_dropped(name: str) -> bool:
    is_apart = name.startswith(_NOT_DROPPED) or name.lower() in _SYSTEM
    return not is_apart and Path(name).suffix.lower() not in _UNFINISHED


def _is_apart(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() or entry.name.startswith(_NOT_DROPPED) or entry.name.lower() in _SYSTEM


def _drops(inbox: Path, folders: tuple[str, ...]) -> Iterator[Drop]:
    here = inbox.joinpath(*folders)
    inner: list[str] = []
    try:
        with open_folder(inbox, folders) as descriptor, os.scandir(descriptor) as entries:
            for entry in entries:
                if _is_apart(entry):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.name)
                elif _may_be_dropped(entry.name) and (found := _look_at(entry)) is not None:
                    yield drop_of(here / entry.name, folders, found)
    except FileNotFoundError:
        return
    except OSError:
        yield Drop(path=here, folders=folders[:-1], size=0, changed_ns=0, problem_code="file.unreadable")
        return
    if len(folders) < DEEPEST:
        for name in inner:
            yield from _drops(inbox, (*folders, name))


def _look_at(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        # somebody has just deleted it
        return None
