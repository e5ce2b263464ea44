"""Files of tables: gzip of JSON lines in UTF-8, so that any language can read them without this project.

1. The head: `{"format": name, "edition": number, …}`;
2. for each table `{"table": name, "columns": [name, …]}` and then its rows, each a JSON array in the order of the
   columns. Instants are whole microseconds since 1970-01-01 UTC, dates `YYYY-MM-DD`, amounts cents, JSON stays JSON;
3. `{"end": {table: number of rows, …}, "sha256": …}`: the digest of all bytes before this line.

The gzip header has neither a file name nor a time: the same lines give the same bytes. With recipients the file is
encrypted with age (`encryption`).
"""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from connectors.ledger.backup.encryption import Identity, Recipient, open_decrypted, open_encrypted
from connectors.ledger.database.files import make_folder, open_new
from domain.disk_faults import naming
from domain.problems import FaturistaError, Problem

_AT_ONCE: Final = 1_000
_LONGEST_LINE: Final = 64 * 1024 * 1024


class UnusableCopy(FaturistaError):
    """The file is not one of our copies, is truncated, or was changed."""


@dataclass(frozen=True, slots=True)
class Part:
    """One table of a file: its name, its columns, and its rows in groups."""

    table: str
    columns: list[str]
    groups: Iterable[Sequence[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Whole:
    """The head of a complete file, its row counts by table, and its SHA-256 (`line_files`, item 3)."""

    head: Mapping[str, Any]
    rows: Mapping[str, int]
    sha256: str


def digest_lines(head: Mapping[str, Any], parts: Iterable[Part], put: Callable[[bytes], object] | None = None) -> Whole:
    """Build the lines of a file and pass each to `put`, if given. Return the file's head, row counts and digest."""
    digest = hashlib.sha256()
    counts: dict[str, int] = {}

    def add_line(value: Any) -> None:
        line = dump_line(value)
        digest.update(line)
        if put is not None:
            put(line)

    add_line(head)
    for part in parts:
        add_line({"table": part.table, "columns": part.columns})
        counts[part.table] = 0
        for group in part.groups:
            for row in group:
                add_line(_plain_row(row))
                counts[part.table] += 1
    if put is not None:
        put(dump_line({"end": counts, "sha256": digest.hexdigest()}))
    return Whole(head, counts, digest.hexdigest())


def write_lines(
    path: Path, head: Mapping[str, Any], parts: Iterable[Part], *, recipients: Sequence[Recipient] = ()
) -> Whole:
    """Write a file, completely or not at all, readable by its owner only."""
    with _new_file(path, recipients) as put:
        return digest_lines(head, parts, put)


def read_lines(
    path: Path,
    *,
    formats: Mapping[str, int],
    identities: Sequence[Identity] = (),
    use: Callable[[str, list[Any]], object] = lambda _table, _row: None,
) -> Whole:
    """Read a whole file and pass each row to `use`. Check the file's own digest and row counts.

    Args:
        path: A file from `write_lines`.
        formats: Names of the formats that the caller reads, each with its edition number.
        identities: Keys that decrypt an encrypted file.
        use: Gets the table's name and each of its rows.

    Raises:
        UnusableCopy: The file is damaged, or has another format.
        Undecipherable: No identity decrypts the file.
    """
    with translate_copy_errors(), open_decrypted(path, identities) as plain, gzip.open(plain, "rb") as file:
        digest = hashlib.sha256()
        counts: dict[str, int] = {}
        head: dict[str, Any] | None = None
        table = ""
        for line in lines_in(file):
            entry = json.loads(line)
            if head is None:
                head = checked_head(entry, formats)
            elif isinstance(entry, list):
                counts[table] += 1
                use(table, entry)
            elif "table" in entry:
                table = entry["table"]
                counts[table] = 0
            elif (entry["end"], entry["sha256"]) == (counts, digest.hexdigest()):
                return Whole(head, counts, digest.hexdigest())
            else:
                break
            digest.update(line)
    raise UnusableCopy(Problem("ledger.copy_damaged"))


def read_head(path: Path, *, formats: Mapping[str, int]) -> dict[str, Any]:
    """Return the head of an unencrypted file without reading the rest. Raises `UnusableCopy`."""
    with translate_copy_errors(), gzip.open(path, "rb") as file:
        return checked_head(json.loads(file.readline(_LONGEST_LINE)), formats)


@contextmanager
def reading_parts(path: Path, identities: Sequence[Identity] = ()) -> Iterator[Iterator[Part]]:
    """Yield an iterator over the tables of a file that `read_lines` has checked. Raises `Undecipherable`.

    The caller must read each table to its end before the next one.
    """
    with open_decrypted(path, identities) as plain, gzip.open(plain, "rb") as file:
        lines = lines_in(file)
        next(lines)
        yield _parts(lines)


def checked_head(head: Any, formats: Mapping[str, int]) -> dict[str, Any]:
    """Return `head` if its format is in `formats`, which maps names to editions, and its edition is the same.

    Raises `UnusableCopy`.
    """
    if not isinstance(head, dict) or head.get("format") not in formats:
        raise UnusableCopy(Problem("ledger.no_copy"))
    if head.get("edition") != formats[head["format"]]:
        raise UnusableCopy(Problem("ledger.copy_newer", params={"edition": str(head.get("edition"))[:20]}))
    return head


def dump_line(value: Any) -> bytes:
    """Return a value as one line of a file."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def json_round_trip(row: Sequence[Any]) -> list[Any]:
    """Return a row of a table with the values that a reader gets from its JSON line."""
    return list(json.loads(dump_line(_plain_row(row))))


def lines_in(file: gzip.GzipFile) -> Iterator[bytes]:
    """Yield the lines of a file. A line longer than 64 MiB comes in parts."""
    while line := file.readline(_LONGEST_LINE):
        yield line


def _parts(lines: Iterator[bytes]) -> Iterator[Part]:
    entry = json.loads(next(lines))
    while "table" in entry:
        following: list[Any] = []
        yield Part(entry["table"], entry["columns"], _rows(lines, following))
        entry = following[0]


def _rows(lines: Iterator[bytes], following: list[Any]) -> Iterator[list[list[Any]]]:
    """Yield the rows up to the next other line, in groups. Append that line to `following`."""
    group: list[list[Any]] = []
    for line in lines:
        entry = json.loads(line)
        if not isinstance(entry, list):
            following.append(entry)
            break
        group.append(entry)
        if len(group) == _AT_ONCE:
            yield group
            group = []
    if group:
        yield group


def _plain_row(row: Sequence[Any]) -> list[Any]:
    return [value.isoformat() if isinstance(value, date) else value for value in row]


@contextmanager
def _new_file(path: Path, recipients: Sequence[Recipient]) -> Iterator[Callable[[bytes], object]]:
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with naming(str(path)), os.fdopen(open_new(partial, is_replaced=True), "wb") as raw:
            # Leave name and time out of the gzip header, so that the same lines give the same bytes.
            with (
                open_encrypted(raw, recipients) as plain,
                gzip.GzipFile("", "wb", compresslevel=6, fileobj=plain, mtime=0) as file,
            ):
                yield file.write
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def translate_copy_errors() -> Iterator[None]:
    """Raise `UnusableCopy` instead of a reader's error about a damaged, foreign or missing file."""
    try:
        yield
    except gzip.BadGzipFile as error:
        raise UnusableCopy(Problem("ledger.no_copy")) from error
    except (EOFError, zlib.error, ValueError, LookupError, TypeError) as error:
        raise UnusableCopy(Problem("ledger.copy_damaged")) from error
    except OSError as error:
        raise UnusableCopy(Problem("ledger.copy_missing")) from error
