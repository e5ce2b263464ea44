"""XLS files made by hand: the records of a workbook, and the container with any directory content."""

import struct
from collections.abc import Iterable, Mapping

END, FREE = 0xFFFFFFFE, 0xFFFFFFFF
OF_NO_CELL = 0x999
"""A kind of record that no reader knows."""


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def number(row: int, column: int, value: float = 1.0) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, 0, value))


def label(row: int, column: int, text: str) -> bytes:
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 0) + text.encode("latin-1"))


def many_numbers(row: int, first: int, count: int, last: int) -> bytes:
    """Return one record of this many numbers, which states the column of the last one."""
    return record(0xBD, struct.pack("<HH", row, first) + bytes(6 * count) + struct.pack("<H", last))


def shared(row: int, column: int, index: int) -> bytes:
    return record(0xFD, struct.pack("<HHHI", row, column, 0, index))


def formula(row: int, column: int, tokens: bytes, value: float) -> bytes:
    return record(6, struct.pack("<HHHdHIH", row, column, 0, value, 0, 0, len(tokens)) + tokens)


def texts(*listed: bytes, count: int | None = None) -> bytes:
    """Return the shared texts with their stated count."""
    announced = len(listed) if count is None else count
    return record(0xFC, struct.pack("<II", announced, announced) + b"".join(listed))


def text(value: str, *, wide: bool = False) -> bytes:
    return struct.pack("<HB", len(value), wide) + value.encode("utf-16-le" if wide else "latin-1")


def stream(*sheets: bytes, before: bytes = b"", encoding: int = 1200, together: bool = False) -> bytes:
    """Return a workbook stream with sheets S0, S1…; `together`: every sheet is the first one."""
    head = record(0x809, struct.pack("<HH12x", 0x600, 5)) + record(0x42, struct.pack("<H", encoding))
    names = [f"S{index}".encode() for index in range(len(sheets))]
    whole = [record(0x809, struct.pack("<HH12x", 0x600, 0x10)) + sheet + record(0x0A) for sheet in sheets]
    at = first = len(head) + sum(12 + len(name) for name in names) + len(before) + 4
    listed = b""
    for name, sheet in zip(names, whole, strict=True):
        listed += record(0x85, struct.pack("<IHBB", first if together else at, 0, len(name), 0) + name)
        at += len(sheet)
    return head + listed + before + record(0x0A) + b"".join(whole[:1] if together else whole)


def entry(name: str, start: int, size: int, kind: int = 2) -> bytes:
    text = f"{name}\0".encode("utf-16-le")
    return struct.pack("<64sHBB48xIQ", text, len(text), kind, 1, start, size)


def compound(
    workbook: bytes,
    *,
    name: str = "Workbook",
    first: Iterable[bytes] = (),
    behind: bytes = b"",
    more_tables: tuple[int, int] = (END, 0),
    chained: Mapping[int, int] | None = None,
) -> bytes:
    """Return a container in sectors of 4,096 bytes: table in 0, directory in 1, stream from 2, `behind` after it.

    `first` are entries before the stream's own; `more_tables` states where further tables are listed and in how many
    sectors; `chained` changes which sector follows which.
    """
    size = 4096
    count, others = -(-max(len(workbook), size) // size), -(-len(behind) // size)
    table = [0xFFFFFFFD, END, *range(3, 2 + count), END, *[END] * others]
    for place, following in (chained or {}).items():
        table[place] = following
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 4, 0xFFFE, 12, 6, 1, 1, 1, 0, size,
        END, 0, *more_tables,
    )  # fmt: skip
    directory = entry("Root Entry", 0, 0, 5) + b"".join(first) + entry(name, 2, count * size)
    pieces = [
        header + struct.pack("<109I", 0, *[FREE] * 108),
        struct.pack("<1024I", *table, *[FREE] * (1024 - len(table))),
        directory,
        workbook,
        behind,
    ]
    sizes = [size, size, size, count * size, others * size]
    return b"".join(piece.ljust(room, b"\0") for piece, room in zip(pieces, sizes, strict=True))
