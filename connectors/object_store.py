"""A store that all workers reach, where they share no disk: a bucket (`s3://`) or another address that fsspec knows.

Names end in a digest of the content, so a write that is repeated changes nothing.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from domain.problems import FaturistaError, Problem

_S3: Final = "s3://"
_WAITS: Final = {"connect_timeout": 5, "read_timeout": 60, "retries": {"max_attempts": 3}}


class StoreUnavailable(FaturistaError):
    """The store does not answer, is full, or refuses us. What is stored there stays; the work can be repeated."""


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A store. `url` is its address with a path; `key` and `secret` open a bucket, `endpoint` is its server's address.

    Without a key, the driver looks for the machine's own rights. All methods raise `StoreUnavailable`.
    """

    url: str
    endpoint: str = ""
    key: str = ""
    secret: str = ""

    def put(self, name: str, content: bytes, *, is_fixed: bool = True) -> None:
        """Store the content. `is_fixed`: the same name has the same content always, so it is stored once.

        A part of it, which a process left that died while it wrote, is replaced.
        """
        with self._told():
            files, path = self._at(name)
            if is_fixed and _size(files, path) == len(content):
                return
            files.makedirs(path.rpartition("/")[0], exist_ok=True)
            files.pipe_file(path, content)

    def fetch(self, name: str) -> bytes | None:
        """Return the content, None where nothing has this name."""
        with self._told():
            files, path = self._at(name)
            try:
                return bytes(files.cat_file(path))
            except FileNotFoundError:
                return None

    def has(self, name: str) -> bool:
        with self._told():
            files, path = self._at(name)
            return bool(files.exists(path))

    def delete(self, name: str) -> None:
        """Delete the content, if it is there."""
        with self._told():
            files, path = self._at(name)
            with contextlib.suppress(FileNotFoundError):
                files.rm_file(path)

    def _at(self, name: str) -> tuple[Any, str]:
        files, root = _opened(self)
        # another worker may have written it since: never answer from a listing of earlier
        files.invalidate_cache()
        return files, f"{root.rstrip('/')}/{name}"

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # The driver's own text may show an address with a key in it.
            params = {"url": self.url, "kind": type(error).__name__}
            raise StoreUnavailable(Problem("store.unavailable", params=params)) from error


def _size(files: Any, path: str) -> int | None:
    try:
        return int(files.size(path))
    except FileNotFoundError:
        return None


@lru_cache(maxsize=8)
def _opened(store: ObjectStore) -> tuple[Any, str]:
    options: dict[str, Any] = {}
    if store.url.startswith(_S3):
        options = {"config_kwargs": dict(_WAITS), "use_listings_cache": False}
        options |= {"endpoint_url": store.endpoint} if store.endpoint else {}
        options |= {"key": store.key, "secret": store.secret} if store.key else {}
    import fsspec  # noqa: PLC0415 - slow to load, and most profiles have no store

    files, root = fsspec.core.url_to_fs(store.url, **options)
    return files, str(root)
