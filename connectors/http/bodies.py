"""Read the body of an answer: size-limited while received and while unpacked, then parsed as JSON."""

import contextlib
import json
import re
import zlib
from collections.abc import AsyncIterable
from typing import Any, Final

import httpx
import orjson

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
_GZIP: Final = 31  # zlib's code for a gzip header and trailer
_UNPACKED: Final = ("", "identity")
_NUL: Final = b"\\u0000"
_ESCAPED_NUL: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_DEEPEST: Final = 32


class TooLarge(httpx.DecodingError):
    """The body is longer than the limit."""


async def read_body(response: httpx.Response, *, longest: int = MAX_ANSWER_BYTES) -> bytes:
    """Return the body, at most `longest` bytes long, received and unpacked.

    Raises `TooLarge` for a longer one, and `httpx.DecodingError` for an encoding other than one gzip: two nested ones
    can turn a few bytes into gigabytes.
    """
    encoding = ",".join(response.headers.get_list("content-encoding"))
    source = response.stream
    assert isinstance(source, AsyncIterable)
    if encoding.strip().lower() in _UNPACKED:
        return await _read_plain(source, longest)
    if encoding.strip().lower() != "gzip":
        raise httpx.DecodingError("the answer has an encoding that was not asked for")
    return await _read_unpacked(source, longest)


async def _read_plain(source: AsyncIterable[bytes], longest: int) -> bytes:
    parts, size = [], 0
    async for part in source:
        parts.append(part)
        size += len(part)
        if size > longest:
            raise _too_large()
    return b"".join(parts)


async def _read_unpacked(source: AsyncIterable[bytes], longest: int) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    parts, room = [], longest
    async for part in source:
        try:
            # Read one byte more than the limit, to tell a body that is too large from one that fits exactly.
            parts.append(unpacker.decompress(part, room + 1))
        except zlib.error:
            raise httpx.DecodingError("the answer is not the gzip that its header announces") from None
        room -= len(parts[-1])
        if room < 0:
            raise _too_large()
    if not unpacker.eof or unpacker.unused_data:
        raise httpx.DecodingError("the answer is not one whole gzip")
    return b"".join(parts)


def _too_large() -> TooLarge:
    return TooLarge("the answer is larger than any the document describes")


def parse_body(content: bytes) -> tuple[Any, bool]:
    """Return the JSON of a body, and whether it is JSON.

    Each NUL in a text becomes U+FFFD: SQLite would cut the text there, and PostgreSQL would refuse it.
    """
    with contextlib.suppress(ValueError):
        return orjson.loads(_without_nul(content)), True
    # Slower, and also reads a byte order mark, other encodings and NaN.
    try:
        # no digest, database or workbook accepts half of a character (a lone surrogate)
        plain = json.dumps(json.loads(content), ensure_ascii=False).encode()
        return json.loads(_without_nul(plain)), True
    except (ValueError, RecursionError):
        return None, False


def _without_nul(content: bytes) -> bytes:
    return _ESCAPED_NUL.sub(rb"\1\\ufffd", content) if _NUL in content else content


def is_nested_deeply(data: Any) -> bool:
    """Return whether the data is nested more deeply than any answer of a provider."""
    level = [data]
    for _ in range(_DEEPEST):
        holders = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [each for inner in holders for each in inner]
        if not level:
            return False
    return True
