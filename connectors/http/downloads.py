"""Download documents from a provider's URLs: without our credentials, from allowed hosts only.

Anybody with the URL can open a document, so no error and no log line repeats the URL.
"""

import asyncio
from collections.abc import Collection
from types import TracebackType
from typing import Final, Self
from urllib.parse import urljoin, urlsplit

import httpx

from connectors.http.bodies import TooLarge, read_body
from connectors.http.errors import Broken, ConnectorError, NotFound, Unreadable
from connectors.http.redact import hide_headers_in_logs
from domain.problems import FaturistaError, Problem

hide_headers_in_logs()

_CALL: Final = "GET document"
_HEADERS: Final = {"User-Agent": "faturista", "Accept-Encoding": "gzip"}
_REDIRECTS: Final = 3
_OK: Final = 200
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_GONE: Final = frozenset({404, 410})


class ForeignHost(FaturistaError):
    """The URL is invalid, unencrypted, or has a user name or a host that is not allowed. No request was sent to it."""


class Downloads:
    """Downloads documents; open with `async with`.

    `hosts` are the allowed host names; all but this machine must use https. `timeout_s` limits one document with its
    redirects, `at_once` the concurrent downloads.
    """

    def __init__(self, hosts: Collection[str], *, longest_bytes: int, timeout_s: float, at_once: int = 4) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._longest = longest_bytes
        self._timeout_s = timeout_s
        self._slots = asyncio.Semaphore(at_once)
        # the bare transport: no proxy from the environment, no cookies, no automatic redirects
        self._transport = httpx.AsyncHTTPTransport(trust_env=False)
        self._extensions = {"timeout": httpx.Timeout(timeout_s).as_dict()}
        self.requests = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    async def fetch(self, url: str) -> bytes:
        """Return the content of a URL; follow redirects to allowed hosts.

        Raises `ForeignHost`; `NotFound` while there is no document; `Broken` when a retry may help; `Unreadable` for a
        document above the size limit or an invalid answer.
        """
        async with self._slots:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._follow(url)
            except TooLarge:
                raise Unreadable(_CALL, status=_OK, detail="larger than allowed") from None
            except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
                # not chained: the cause quotes the URL
                raise Broken(_CALL, detail=type(error).__name__) from None

    async def _follow(self, url: str) -> bytes:
        for _ in range(_REDIRECTS + 1):
            self._check(url)
            self.requests += 1
            request = httpx.Request("GET", url, headers=_HEADERS, extensions=self._extensions)
            answer = await self._transport.handle_async_request(request)
            try:
                if answer.status_code == _OK:
                    return await read_body(answer, longest=self._longest)
                if answer.status_code not in _MOVED:
                    raise _refusal(answer.status_code)
                url = _join_url(url, answer.headers.get("location", ""))
            finally:
                await answer.aclose()
        raise Unreadable(_CALL, detail="too many redirects")

    def _check(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            _ = parts.port
        except ValueError:
            # not chained: the cause may quote the URL
            raise _foreign_host() from None
        host = (parts.hostname or "").lower()
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
        if host not in self._hosts or not is_safe or parts.username is not None:
            raise _foreign_host()


def _join_url(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise _foreign_host() from None


def _foreign_host() -> ForeignHost:
    return ForeignHost(Problem("documents.foreign_host"))


def _refusal(status: int) -> ConnectorError:
    kind = NotFound if status in _GONE else Broken
    return kind(_CALL, status=status)
