"""Share files among workers without a shared disk, by the profile's object store."""

from pathlib import Path
from typing import Final

from configs.settings import Settings
from connectors.object_store import ObjectStore
from connectors.spreadsheets.archive import Folder, SharedFolder
from tasks.runtime.secrets import resolve_secret

_ANSWERS: Final = "outbox"


def object_store(settings: Settings) -> ObjectStore | None:
    """Return the profile's store, or None if all files are on this machine. Raises `SettingsError`."""
    section = settings.store
    if not section.url:
        return None
    key, secret = (resolve_secret(each).get_secret_value() if each else "" for each in (section.key, section.secret))
    return ObjectStore(section.url, section.endpoint, key, secret)


def shared_folder(settings: Settings, folder: str) -> Folder:
    """Return a folder of `paths.home`, with the store that has its content for all machines."""
    store, path = object_store(settings), Path(folder)
    return path if store is None else SharedFolder(path, store, path.name)


def publish_answer(settings: Settings, path: Path) -> None:
    """Copy a workbook written for people into the store. Raises `StoreUnavailable`."""
    if (store := object_store(settings)) is not None:
        store.put(f"{_ANSWERS}/{path.name}", path.read_bytes(), is_fixed=False)


def is_published(settings: Settings, path: Path) -> bool:
    """Return whether a workbook written for people is here or in the store. Raises `StoreUnavailable`."""
    store = object_store(settings)
    return path.is_file() or (store is not None and store.has(f"{_ANSWERS}/{path.name}"))


def withdraw_answer(settings: Settings, path: Path) -> None:
    """Delete a workbook written for people, here and in the store. Raises `StoreUnavailable`."""
    if (store := object_store(settings)) is not None:
        store.delete(f"{_ANSWERS}/{path.name}")
    path.unlink(missing_ok=True)
