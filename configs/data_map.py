"""The data map as typed data, read from `data_map.toml`."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DATA_MAP: Final = Path(__file__).parent / "data_map.toml"
CLASSES: Final = ("none", "document", "name", "contact", "record", "money", "link", "staff", "secret")
TERMS: Final = ("fiscal", "refused", "sheet", "copies", "mirror", "ledger", "passing")
BASES: Final = ("contract", "law", "interest")


@dataclass(frozen=True, slots=True)
class DataMapEntry:
    """One table or folder: purpose, legal basis, term, and the class of each column (of a folder: its classes)."""

    why: str
    basis: str
    keep: str
    columns: Mapping[str, str]
    classes: frozenset[str]
    path: str = ""


@functools.cache
def load_data_map() -> tuple[Mapping[str, DataMapEntry], Mapping[str, DataMapEntry]]:
    """Return the tables and the folders, by name. Raises `ValueError` for an invalid entry."""
    raw = tomllib.loads(DATA_MAP.read_text(encoding="utf-8"))
    tables = {name: _table(name, entry) for name, entry in raw["tables"].items()}
    return tables, {
        name: _check_entry(name, DataMapEntry(**{**entry, "columns": {}})) for name, entry in raw["files"].items()
    }


def _table(name: str, entries: Mapping[str, Any]) -> DataMapEntry:
    listed = {each: columns for each, columns in entries.items() if isinstance(columns, list)}
    columns = [(column, each) for each, names in listed.items() for column in names]
    if len(dict(columns)) < len(columns):
        raise ValueError(f"{name}: a column has two classes")
    entry = DataMapEntry(entries["why"], entries["basis"], entries["keep"], dict(columns), frozenset(listed))
    return _check_entry(name, entry)


def _check_entry(name: str, entry: DataMapEntry) -> DataMapEntry:
    if not (set(entry.classes) <= set(CLASSES) and entry.keep in TERMS and entry.basis in BASES and entry.why):
        raise ValueError(f"{name}: an unknown class, term or basis, or no purpose")
    return entry
