"""Store files for workers without a shared disk, in a bucket (`s3://`) or at another fsspec address.

Most names end in a digest of the content, so that a repeated write changes nothing.
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
    """The store does not answer, is full, or refuses us. Its content is intact, and the call can be repeated."""


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """An object store. `url` has a path; `key` and `secret` are a bucket's credentials, `endpoint` its server.

    Without a key, the driver uses the machine's credentials. All methods raise `StoreUnavailable`.
    """

    url: str
    endpoint: str = ""
    key: str = ""
    secret: str = ""

    def put(self, name: str, content: bytes, *, is_fixed: bool = True) -> None:
        """Store the content. With `is_fixed` the name determines it: do nothing if an equally long one is stored."""
        with self._driver_errors():
            files, path = self._at(name)
            if is_fixed and _size(files, path) == len(content):
                return
            files.makedirs(path.rpartition("/")[0], exist_ok=True)
            files.pipe_file(path, content)

    def fetch(self, name: str) -> bytes | None:
        """Return the content, or None for an unknown name."""
        with self._driver_errors():
            files, path = self._at(name)
            try:
                return bytes(files.cat_file(path))
            except FileNotFoundError:
                return None

    def has(self, name: str) -> bool:
        with self._driver_errors():
            files, path = self._at(name)
            return bool(files.exists(path))

    def delete(self, name: str) -> None:
        """Delete the content, if it exists."""
        with self._driver_errors():
            files, path = self._at(name)
            with contextlib.suppress(FileNotFoundError):
                files.rm_file(path)

    def _at(self, name: str) -> tuple[Any, str]:
        files, root = _open_store(self)
        # another worker may have written it since: use no cached listing
        files.invalidate_cache()
        return files, f"{root.rstrip('/')}/{name}"

    @contextlib.contextmanager
    def _driver_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # The driver's message may contain an address with a key.
            params = {"url": self.url, "kind": type(error).__name__}
            raise StoreUnavailable(Problem("store.unavailable", params=params)) from error


def _size(files: Any, path: str) -> int | None:
    try:
        return int(files.size(path))
    except FileNotFoundError:
        return None


@lru_cache(maxsize=8)
def _open_store(store: ObjectStore) -> tuple[Any, str]:
    options: dict[str, Any] = {}
    if store.url.startswith(_S3):
        options = {"config_kwargs": dict(_WAITS), "use_listings_cache": False}
        options |= {"endpoint_url": store.endpoint} if store.endpoint else {}
        options |= {"key": store.key, "secret": store.secret} if store.key else {}
    import fsspec  # noqa: PLC0415 - slow to load, and most profiles have no store

    files, root = fsspec.core.url_to_fs(store.url, **options)
    return files, str(root)
