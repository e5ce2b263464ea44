"""Read the fields of a record from `name=value` arguments, a JSON file, or the rows of a workbook."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from connectors.spreadsheets.record_rows import read_records
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError, Problem
from domain.resources import Path, Resource, Values, Verb
from tasks.records.kinds import OpenResource
from tasks.runtime.file_bytes import limits_of, read_bytes


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One row of a workbook: its number, the path of its record and the fields."""

    row: int
    path: Path
    fields: Values


def read_fields(
    pairs: Sequence[str], *, file: FilePath | None = None, limit: int = 0, resource: Resource | None = None
) -> dict[str, str]:
    """Return the fields of `name=value` arguments and of a file; arguments win.

    `file` is read only with a `resource`: as one field `document` if that resource is a document, else as JSON. `limit`
    is its maximum in bytes. Raises `InputError`.
    """
    fields: dict[str, str] = {}
    if file is not None and resource is not None:
        content = read_bytes(file, limit=limit)
        fields = {"document": content.decode("utf-8", "replace")} if resource.is_document else _of_json(content)
    for pair in pairs:
        name, is_pair, value = pair.partition("=")
        if not is_pair or not name.strip():
            raise InputError(Problem("record.no_pair", params={"text": pair[:40]}))
        fields[name.strip()] = value
    return fields


def no_write(resource: Resource) -> Problem:
    """Return the problem of a write that this kind of record does not support, with the supported writes."""
    if not resource.writes:
        return Problem("record.read_only", params={"kind": resource.kind})
    return Problem("record.no_write", params={"kind": resource.kind, "verbs": ", ".join(resource.writes)})


def sheet_rows(opened: OpenResource, verb: Verb, file: FilePath) -> Iterator[SheetLine]:
    """Yield the fields of each row of a workbook. Raises `InputError`, also if the kind cannot be written by rows."""
    resource = opened.resource
    write = resource.writes.get(verb)
    if write is None or resource.is_document:
        raise InputError(no_write(resource))
    parts = resource.place if verb == "create" else resource.parts
    content = read_bytes(file, limit=opened.context.settings.limits.file_bytes)
    workbook = open_workbook(content, limits_of(opened.context), name=file.name)
    # A part of the path may have the same name as a field; the path takes precedence.
    for row in read_records(workbook, [*parts, *(name for name in write.fields if name not in parts)]):
        path = tuple(row.values.get(name, "") for name in parts)
        fields = {name: text for name, text in row.values.items() if name not in parts}
        yield SheetLine(row.number, path, fields)


def _of_json(content: bytes) -> dict[str, str]:
    try:
        decoded = json.loads(content)
    except (ValueError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        raise InputError(Problem("record.no_json"))
    return dict(_flatten(decoded))


def _flatten(decoded: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in decoded.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            yield f"{prefix}{name}", ", ".join(map(str, value))
        elif isinstance(value, bool):
            yield f"{prefix}{name}", "true" if value else "false"
        elif value is not None:
            yield f"{prefix}{name}", str(value)
