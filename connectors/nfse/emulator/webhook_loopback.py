"""Send the only requests that this emulator makes: to URLs on this machine, and to no other host.

Written on a bare socket: an emulator has no HTTP client, and this needs only the status line.
"""

import asyncio
import contextlib
import ipaddress
import json
import re
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

PATIENCE_S: Final = 5.0
_LONGEST_URL: Final = 2_000
_LONGEST_HEAD: Final = 16_384
_PRINTABLE: Final = re.compile(r"[!-~]+")
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})\b")


def is_address(url: str) -> bool:
    """Return whether the text is a web URL."""
    parts = _parts(url)
    return parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)


def is_reachable(url: str) -> bool:
    """Return whether the URL is on this machine and plain HTTP."""
    parts = _parts(url)
    if parts is None or parts.scheme != "http" or not parts.hostname or parts.port == 0:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _parts(url: str) -> SplitResult | None:
    if len(url) > _LONGEST_URL or _PRINTABLE.fullmatch(url) is None:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # read it here, so that a wrong port raises here
    except ValueError:
        return None
    return parts


async def status_of(method: str, url: str, body: Any = None) -> int | None:
    """Return the status of the URL's answer, or None without an answer in time."""
    parts = _parts(url)
    if parts is None or not is_reachable(url):
        return None
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await _exchange(parts, _request_bytes(parts, method, body))
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None


def _request_bytes(parts: SplitResult, method: str, body: Any) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    raw = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    head = [f"{method} {target} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", "Connection: close"]
    if body is not None:
        head += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
    return "\r\n".join([*head, "", ""]).encode("ascii") + raw


async def _exchange(parts: SplitResult, request: bytes) -> int | None:
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80, limit=_LONGEST_HEAD)
    try:
        writer.write(request)
        await writer.drain()
        found = _STATUS.match(await reader.readuntil(b"\n"))
        return int(found[1]) if found else None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
