"""Move a dropped file to a private folder before it is read, and give it back if it was not processed.

A claim is a private folder with the file under a safe name and its old place in `.origin`. Its process holds a lock on
it. So the claims of a killed process return to the inbox and are taken again.

No dropped file's name begins with a dot. So `.origin` and an unfinished copy are never taken for a dropped file, in a
claim or in the inbox.
"""

import errno
import fcntl
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Final
from uuid import uuid4

from connectors.inbox.drops import Drop, drop_of
from connectors.inbox.folders import open_folder, safe_name
from connectors.synced_folders import sync_folder

_OURS: Final = "."
_ORIGIN: Final = f"{_OURS}origin"
_PRIVATE: Final = 0o700
_NAMES_TRIED: Final = 1_000
_NO_LINKS: Final = frozenset({errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK})
_held: Final[dict[Path, int]] = {}
_lock: Final = threading.Lock()


def claim(drop: Drop, inbox: Path, spool: Path, *, copied_bytes: int) -> Drop | None:
    """Move a dropped file into a private folder below `spool`.

    Args:
        drop: The file as `dropped_files` saw it.
        inbox: The folder of the file.
        spool: The folder for claims; nobody else may write there.
        copied_bytes: The largest size to copy if inbox and spool are on two disks.

    Returns:
        The file in its new place, or None if it is not the file that was seen.

    Raises:
        OSError: The file cannot be moved, or is too large to copy.
    """
    folder = _make_claim_folder(spool)
    name = drop.path.name
    target = folder / safe_name(name)
    try:
        _write_origin(folder, (*drop.folders, name))
        with open_folder(inbox, drop.folders) as here:
            _check_unchanged(drop, here)
            is_copied = _move(name, here, target, copied_bytes=copied_bytes)
    except FileNotFoundError:
        _end(folder)
        return None
    except BaseException:
        _end(folder)
        raise
    now = target.lstat()
    if not is_copied and not drop.is_seen_in(now):
        # somebody swapped or changed it at the last moment
        give_back(replace(drop, path=target, claim=folder), inbox)
        return None
    return replace(drop_of(target, drop.folders, now), owner=drop.owner, claim=folder)


def give_back(drop: Drop, inbox: Path) -> None:
    """Put a claimed file back in its old place, under a free name if another file took its own."""
    if drop.claim is not None and drop.claim.exists():
        _restore(drop.claim, inbox)


def leave(drop: Drop) -> None:
    """Delete a file that was processed, and its claim."""
    drop.path.unlink(missing_ok=True)
    if drop.claim is not None:
        _end(drop.claim)


def set_aside(drop: Drop, folder: Path) -> Path:
    """Move a claimed file that can be neither used nor given back into a private folder. Return its path."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    target = folder / f"{uuid4().hex[:8]}-{drop.path.name[-200:]}"
    drop.path.rename(target)
    if drop.claim is not None:
        _end(drop.claim)
    return target


def hand_over(drop: Drop, target: Path, *, copied_bytes: int) -> Path:
    """Move a claimed file to `target`, or to a free name beside it: never over another file. Return its path.

    Raises:
        OSError: No space is left, or the file is of a kind that cannot be copied to another disk, or is larger than
            `copied_bytes` and would have to be.
    """
    with open_folder(target.parent, ()) as there:
        if drop.size > copied_bytes and os.fstat(there).st_dev != drop.path.lstat().st_dev:
            raise OSError(errno.EFBIG, "too large to be copied", drop.path.name)
        name = _move_to_free_name(drop.path, there, target.name)
    leave(drop)
    return target.with_name(name)


def has_others(spool: Path) -> bool:
    """Return whether there are claims of another process: a sweep that runs elsewhere, or was killed."""
    return spool.is_dir() and any(folder not in _held for folder in spool.iterdir())


def recover(spool: Path, inbox: Path) -> list[Path]:
    """Give back the claims of processes that have ended. Return the files that cannot go back: their claims stay."""
    stuck: list[Path] = []
    for folder in sorted(spool.iterdir()) if spool.is_dir() else ():
        if folder not in _held and _lock_claim(folder, waits=False):
            with suppress(OSError):
                _restore(folder, inbox)
            with suppress(FileNotFoundError):
                stuck += _claimed_files(folder)
    return stuck


def _check_unchanged(drop: Drop, here: int) -> None:
    if not drop.is_seen_in(os.stat(drop.path.name, dir_fd=here, follow_symlinks=False)):
        raise FileNotFoundError(drop.path.name)


def _make_claim_folder(spool: Path) -> Path:
    spool.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    folder = spool / uuid4().hex
    folder.mkdir(mode=_PRIVATE)
    _lock_claim(folder, waits=True)
    return folder


def _lock_claim(folder: Path, *, waits: bool) -> bool:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return False
    with _lock:
        _held[folder] = descriptor
    return True


def _end(folder: Path) -> None:
    """Delete the claim. Keep a claim that still contains a file: any process may recover it."""
    try:
        with suppress(FileNotFoundError):
            if not _claimed_files(folder):
                shutil.rmtree(folder)
    finally:
        with _lock:
            descriptor = _held.pop(folder, None)
        if descriptor is not None:
            os.close(descriptor)


def _claimed_files(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if not each.name.startswith(_OURS)]


def _write_origin(folder: Path, parts: tuple[str, ...]) -> None:
    with (folder / _ORIGIN).open("xb") as file:
        file.write(b"\0".join(map(os.fsencode, parts)))
        file.flush()
        os.fsync(file.fileno())


def _restore(folder: Path, inbox: Path) -> None:
    try:
        with suppress(FileNotFoundError):
            *folders, name = map(os.fsdecode, (folder / _ORIGIN).read_bytes().split(b"\0"))
            for file in _claimed_files(folder):
                _put_back(file, inbox, folders, name)
                file.unlink(missing_ok=True)
    finally:
        _end(folder)


def _put_back(file: Path, inbox: Path, folders: list[str], name: str) -> None:
    inbox.mkdir(parents=True, exist_ok=True)
    try:
        with open_folder(inbox, folders, makes=True) as there:
            _move_to_free_name(file, there, name)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        # the folder was replaced by a file or a link
        with open_folder(inbox, ()) as there:
            _move_to_free_name(file, there, name)


def _move_to_free_name(file: Path, there: int, name: str) -> str:
    """Link or copy the file into the folder `there` under a free name. Return the name. The caller deletes the file."""
    for each in islice(_names(name), _NAMES_TRIED):
        with suppress(FileExistsError):
            _move_to(file, there, each)
            return each
    raise FileExistsError(errno.EEXIST, "too many files of one name", name)


def _move_to(file: Path, there: int, name: str) -> None:
    """Link or copy the file into the folder `there`; rename it if it can be neither linked nor read.

    Raises `FileExistsError` if the name is taken.
    """
    try:
        os.link(file, name, dst_dir_fd=there, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if _is_there(there, name):
            raise FileExistsError(name) from error
        if stat.S_ISREG(file.lstat().st_mode) and os.access(file, os.R_OK):
            _copy(file, there, name)
        else:
            os.rename(file, name, dst_dir_fd=there)


def _is_there(there: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _names(name: str) -> Iterator[str]:
    yield name
    path = Path(name)
    for number in count(2):
        yield f"{path.stem[:100]}-{number}{path.suffix[:20]}"


def _move(name: str, here: int, target: Path, *, copied_bytes: int) -> bool:
    """Move the file to the target. Return whether it had to be copied."""
    try:
        os.rename(name, target, src_dir_fd=here)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _fetch(name, here, target, copied_bytes=copied_bytes)
        return True
    return False


def _fetch(name: str, here: int, target: Path, *, copied_bytes: int) -> None:
    """Copy the file from another disk and delete the original, if it has not changed."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(descriptor, "rb") as source:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > copied_bytes:
            raise OSError(errno.EFBIG, "too large to be copied", name)
        partial = target.with_name(f"{_OURS}part")
        with partial.open("xb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        os.utime(partial, ns=(found.st_atime_ns, found.st_mtime_ns))
        # half of a file must not go back to the inbox as another drop
        partial.rename(target)
        sync_folder(target.parent)
        now = os.stat(name, dir_fd=here, follow_symlinks=False)
        if (now.st_dev, now.st_ino) == (found.st_dev, found.st_ino):
            os.unlink(name, dir_fd=here)


def _copy(file: Path, there: int, name: str) -> None:
    """Copy the file into the folder `there`: it gets its name when it is complete, and nobody reads it before."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    partial = f"{_OURS}{uuid4().hex}.part"
    try:
        with file.open("rb") as source, os.fdopen(os.open(partial, flags, 0o666, dir_fd=there), "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        _name_copy(partial, there, name)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial, dir_fd=there)
        raise


def _name_copy(partial: str, there: int, name: str) -> None:
    """Give the complete copy its name. Raises `FileExistsError` if the name is taken."""
    try:
        os.link(partial, name, src_dir_fd=there, dst_dir_fd=there, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # a file system without hard links
        os.rename(partial, name, src_dir_fd=there, dst_dir_fd=there)
    else:
        os.unlink(partial, dir_fd=there)
