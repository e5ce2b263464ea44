"""Archive dropped files unchanged, each under its SHA-256 digest and a cleaned file name.

Workers without a shared disk also store the bytes in an object store; each fetches into its own folder on demand.
"""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slugify import slugify

from connectors.object_store import ObjectStore, StoreUnavailable
from connectors.synced_folders import sync_folder
from domain.disk_faults import naming
from domain.problems import Problem

NAME_LENGTH: Final = 60
_SHA256_LENGTH: Final = 64
_SUFFIX_LENGTH: Final = 5


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """A folder on this machine, and an object store that all machines share; its keys begin with `prefix`."""

    path: Path
    store: ObjectStore
    prefix: str

    def name(self, sha256: str) -> str:
        """Return the object store's key for the bytes with this digest."""
        return f"{self.prefix}/{sha256[:2]}/{sha256}"


Folder = Path | SharedFolder
"""Where the archive stores bytes: on this machine only, or also in an object store."""


def archive(content: bytes, *, sha256: str, name: str, folder: Folder) -> Path:
    """Store the bytes in `folder` under their digest and the file's cleaned name; return the path on this machine.

    The same bytes are stored once, under the first name.

    Raises `ValueError` when `sha256` is not the digest of `content`, and `StoreUnavailable` when the store fails.
    """
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("the digest is not of these bytes")
    if isinstance(folder, SharedFolder):
        folder.store.put(folder.name(sha256), content)
    target = _here(sha256, name=name, folder=_path(folder))
    if not target.is_file():
        with naming(str(target)):
            _save(target, content)
    return target


def discard(sha256: str, *, name: str, folder: Folder) -> None:
    """Delete the bytes with this digest, on this machine and in the object store."""
    if isinstance(folder, SharedFolder):
        folder.store.delete(folder.name(sha256))
    _here(sha256, name=name, folder=_path(folder)).unlink(missing_ok=True)


def is_archived(sha256: str, *, name: str, folder: Folder) -> bool:
    """Return whether the archive has the bytes with this digest."""
    if isinstance(folder, SharedFolder) and folder.store.has(folder.name(sha256)):
        return True
    return _here(sha256, name=name, folder=_path(folder)).is_file()


def _save(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # a reader finds the whole file under this name or none, even after a power cut
        Path(partial).replace(target)
        # the caller deletes the dropped file next, so the directory entries must be on disk
        for folder in (target.parent, target.parent.parent):
            sync_folder(folder)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def archived(sha256: str, *, name: str, folder: Folder) -> Path:
    """Return the path on this machine of the bytes with this digest: `<folder>/ab/abcdef…-name.xlsx`.

    The bytes may be stored under another name than `name`. Fetch them if only the object store has them. If neither
    has them, no file exists at the path.

    Raises `ValueError` when `sha256` is not a digest, and `StoreUnavailable` when the store fails or has other bytes.
    """
    place = _here(sha256, name=name, folder=_path(folder))
    if isinstance(folder, SharedFolder) and not place.is_file():
        content = folder.store.fetch(folder.name(sha256))
        if content is not None:
            if hashlib.sha256(content).hexdigest() != sha256:
                params = {"url": folder.store.url, "sha256": sha256}
                raise StoreUnavailable(Problem("store.damaged", params=params))
            _save(place, content)
    return place


def _path(folder: Folder) -> Path:
    return folder.path if isinstance(folder, SharedFolder) else folder


def _here(sha256: str, *, name: str, folder: Path) -> Path:
    if len(sha256) != _SHA256_LENGTH or set(sha256) - set("0123456789abcdef"):
        raise ValueError("not a SHA-256 digest")
    place = placed(sha256, name=name, folder=folder)
    return next(iter(sorted(place.parent.glob(f"{sha256}-*"))), place)


def placed(sha256: str, *, name: str, folder: Folder) -> Path:
    """Return the path of bytes that are archived under this name; do not read the disk."""
    return _path(folder) / sha256[:2] / f"{sha256}-{_cleaned(name)}"


def _cleaned(name: str) -> str:
    # the last part after either system's separator: a name from outside never chooses a folder
    last = name.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = last.rpartition(".")
    if not dot:
        stem, suffix = last, ""
    kept = slugify(suffix)[:_SUFFIX_LENGTH]
    return (slugify(stem)[:NAME_LENGTH] or "sem-nome") + (f".{kept}" if kept else "")
