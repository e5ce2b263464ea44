"""Store column mappings, each in a small readable file: one for each sender and kind of sheet."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from slugify import slugify

from connectors.spreadsheets.headers.column_mapping import SavedMapping
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.problems import Problem, SettingsError


def saved_mappings(folder: Path) -> list[SavedMapping]:
    """Return all saved mappings, by name. Raises `SettingsError` for a bad file (`mapping.unreadable`)."""
    # a file being written has a name with a leading dot
    return [_read(path) for path in sorted(folder.glob("[!.]*.json"))]


def save_mapping(folder: Path, mapping: SavedMapping) -> Path:
    """Store the mapping, replacing an older one of the same sender and kind."""
    raw = asdict(mapping) | {"headers": sorted(mapping.headers)}
    path = _place(folder, mapping)
    text = json.dumps(raw, ensure_ascii=False, indent=2)
    write_atomically(path, lambda partial: _write(partial, f"{text}\n"))
    return path


def remove_mapping(folder: Path, mapping: SavedMapping) -> None:
    _place(folder, mapping).unlink(missing_ok=True)


def _place(folder: Path, mapping: SavedMapping) -> Path:
    return folder / f"{slugify(mapping.name)}-{mapping.kind}.json"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _read(path: Path) -> SavedMapping:
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return SavedMapping(**(raw | {"headers": frozenset(raw["headers"])}))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SettingsError(Problem("mapping.unreadable", params={"path": str(path)})) from error
