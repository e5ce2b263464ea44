"""Files by the SHA-256 of their bytes, and each reading of one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file's bytes. `is_new` is True only in the answer of the `receive` that first saw them."""

    id: int
    sha256: str
    name: str
    size_bytes: int
    kind: str
    received_at: datetime
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """One pass over a file: what the operator asked for, and what the reader made of it (None until finished)."""

    id: int
    file_id: int
    ordinal: int
    operator: str
    started_at: datetime
    finished_at: datetime | None
    options: dict[str, Any]
    understood: dict[str, Any] | None


def receive(conn: sa.Connection, *, sha256: str, name: str, size_bytes: int, kind: str) -> FileRecord:
    """Remember the file; the same bytes again are the same file, under their first name."""
    raise NotImplementedError


def begin_reading(conn: sa.Connection, file_id: int, *, operator: str, options: Mapping[str, Any]) -> int:
    """A new reading of the file; its id."""
    raise NotImplementedError


def end_reading(conn: sa.Connection, reading_id: int, understood: Mapping[str, Any]) -> None:
    """The reading is complete: all its rows are in the ledger."""
    raise NotImplementedError


def reading_of(conn: sa.Connection, reading_id: int) -> ReadingRecord:
    """One reading. Raises `FaturistaError` (`ledger.no_reading`)."""
    raise NotImplementedError


def last_reading(conn: sa.Connection, file_id: int) -> ReadingRecord | None:
    """The newest reading of the file, finished or not."""
    raise NotImplementedError


def find_file(
    conn: sa.Connection, *, sha256: str | None = None, file_id: int | None = None, name: str | None = None
) -> FileRecord | None:
    """The file with this digest (or the beginning of one, at least 6 characters, if only one fits), id, or name (the
    newest of that name)."""
    raise NotImplementedError


def file_list(conn: sa.Connection, *, limit: int = 50) -> list[FileRecord]:
    """The newest files first."""
    raise NotImplementedError
