"""Take a dropped file out of everybody's reach before it is looked at, and give it back where nothing came of it.

A claim is a folder of ours that holds the file under a safe name and, in `origin`, where it lay. It is locked as long
as the process that made it lives. So what a killed process has claimed goes back into the inbox and is taken again.
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

from connectors.inbox.drops import Drop, seen
from connectors.inbox.folders import opened, safe_name

_ORIGIN: Final = "origin"
_PRIVATE: Final = 0o700
_NAMES_TRIED: Final = 1_000
_NO_LINKS: Final = frozenset({errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK})
_held: Final[dict[Path, int]] = {}
_lock: Final = threading.Lock()


def claim(drop: Drop, inbox: Path, spool: Path, *, copied_bytes: int) -> Drop | None:
    """Move a dropped file into a private folder below `spool`.

    Args:
        drop: the file as `dropped_files` saw it.
        inbox: the folder that it was found in.
        spool: the folder for claims; nobody else may write there.
        copied_bytes: up to which size a file is copied where inbox and spool lie on two disks.

    Returns:
        The file where it is now, or None where it is not what was seen any more.

    Raises:
        OSError: it cannot be moved, or is too large to be copied.
    """
    folder = _made(spool)
    name = drop.path.name
    target = folder / safe_name(name)
    try:
        _write_origin(folder, (*drop.folders, name))
        with opened(inbox, drop.folders) as here:
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
        # somebody has swapped or changed it at the last moment
        give_back(replace(drop, path=target, claim=folder), inbox)
        return None
    return replace(seen(target, drop.folders, now), owner=drop.owner, claim=folder)


def give_back(drop: Drop, inbox: Path) -> None:
    """Put a claimed file back where it lay, beside whatever took its name meanwhile. Nothing happens to any other."""
    if drop.claim is not None and drop.claim.exists():
        _restore(drop.claim, inbox)


def leave(drop: Drop) -> None:
    """Delete a file that was taken for good, and its claim."""
    drop.path.unlink(missing_ok=True)
    if drop.claim is not None:
        _end(drop.claim)


def set_aside(drop: Drop, folder: Path) -> Path:
    """Move a claimed file that can neither be used nor handed back into a folder of ours; return where it is."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    target = folder / f"{uuid4().hex[:8]}-{drop.path.name[-200:]}"
    drop.path.rename(target)
    if drop.claim is not None:
        _end(drop.claim)
    return target


def hand_over(drop: Drop, target: Path) -> Path:
    """Move a claimed file to `target`, or beside it: never over another file. Return where it is.

    Raises:
        OSError: there is no room, or the file is none that can be copied to another disk.
    """
    with opened(target.parent, ()) as there:
        name = _placed(drop.path, there, target.name)
    leave(drop)
    return target.with_name(name)


def has_others(spool: Path) -> bool:
    """Tell whether there are claims that this process does not hold: of a sweep that runs elsewhere, or was killed."""
    return spool.is_dir() and any(folder not in _held for folder in spool.iterdir())


def recover(spool: Path, inbox: Path) -> None:
    """Give back what processes had claimed that live no more."""
    with suppress(FileNotFoundError):
        for folder in sorted(spool.iterdir()):
            if folder not in _held and _hold(folder, waits=False):
                _restore(folder, inbox)


def _check_unchanged(drop: Drop, here: int) -> None:
    if not drop.is_seen_in(os.stat(drop.path.name, dir_fd=here, follow_symlinks=False)):
        raise FileNotFoundError(drop.path.name)


def _made(spool: Path) -> Path:
    spool.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    folder = spool / uuid4().hex
    folder.mkdir(mode=_PRIVATE)
    _hold(folder, waits=True)
    return folder


def _hold(folder: Path, *, waits: bool) -> bool:
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
    """Delete the claim. A file that is still in it stays, and with it the claim."""
    with suppress(FileNotFoundError):
        if {each.name for each in folder.iterdir()} <= {_ORIGIN}:
            shutil.rmtree(folder)
    with _lock:
        descriptor = _held.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def _write_origin(folder: Path, parts: tuple[str, ...]) -> None:
    with (folder / _ORIGIN).open("xb") as file:
        file.write(b"\0".join(map(os.fsencode, parts)))
        file.flush()
        os.fsync(file.fileno())


def _restore(folder: Path, inbox: Path) -> None:
    with suppress(FileNotFoundError):
        *folders, name = map(os.fsdecode, (folder / _ORIGIN).read_bytes().split(b"\0"))
        for file in [each for each in folder.iterdir() if each.name != _ORIGIN]:
            _put_back(file, inbox, folders, name)
            file.unlink(missing_ok=True)
    _end(folder)


def _put_back(file: Path, inbox: Path, folders: list[str], name: str) -> None:
    inbox.mkdir(parents=True, exist_ok=True)
    try:
        with opened(inbox, folders, makes=True) as there:
            _placed(file, there, name)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        # its folder is a file or a link now
        with opened(inbox, ()) as there:
            _placed(file, there, name)


def _placed(file: Path, there: int, name: str) -> str:
    """Give the file a name in the folder `there` that nothing has yet; return it."""
    for each in islice(_names(name), _NAMES_TRIED):
        with suppress(FileExistsError):
            _place(file, there, each)
            return each
    raise FileExistsError(errno.EEXIST, "too many files of one name", name)


def _place(file: Path, there: int, name: str) -> None:
    """Put the file there. Raises `FileExistsError` where the name is taken."""
    try:
        os.link(file, name, dst_dir_fd=there, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if stat.S_ISREG(file.lstat().st_mode) and os.access(file, os.R_OK):
            _copy(file, there, name)
        elif _is_there(there, name):
            raise FileExistsError(name) from error
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
    """Move the file to the target; whether it had to be copied."""
    try:
        os.rename(name, target, src_dir_fd=here)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _fetch(name, here, target, copied_bytes=copied_bytes)
        return True
    return False


def _fetch(name: str, here: int, target: Path, *, copied_bytes: int) -> None:
    """Copy the file from another disk and delete the original, if it is still the same."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(descriptor, "rb") as source:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > copied_bytes:
            raise OSError(errno.EFBIG, "too large to be copied", name)
        with target.open("xb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
        now = os.stat(name, dir_fd=here, follow_symlinks=False)
        if (now.st_dev, now.st_ino) == (found.st_dev, found.st_ino):
            os.unlink(name, dir_fd=here)


def _copy(file: Path, there: int, name: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with file.open("rb") as source, os.fdopen(os.open(name, flags, 0o666, dir_fd=there), "wb") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())
