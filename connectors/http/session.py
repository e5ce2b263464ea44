"""The only module that sends API requests, over lanes of plain httpx transports. Each try sends one request.

A lane is one transport with its own small pool. For each request a pool checks all its connections, and asks the kernel
about idle ones: a pool of more than thirty connections becomes slow. Lanes of one connection cost least. The bare
transport follows no redirect, keeps no cookie, reads no proxy from the environment and logs no URL. So nothing repeats
a write or sends the token elsewhere.
"""

import asyncio
import contextlib
import functools
import random
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import httpx

from connectors.http.auth import Auth
from connectors.http.bodies import parse_body, read_body
from connectors.http.calls import DISTURBING_KEYS, NOTHING, OK, Call, Response
from connectors.http.error_bodies import DEFAULT, Dialect
from connectors.http.error_classification import classify_answer, classify_no_answer
from connectors.http.errors import ConnectorError, TooLate
from connectors.http.redact import hide_headers_in_logs, secrets_in
from connectors.http.request_stats import RequestStats
from connectors.http.retry import Patience, decide
from connectors.http.shared_timeout import Bound
from connectors.http.slots import Slots
from connectors.http.steady import steady_s
from connectors.http.throttle import Throttle
from connectors.http.wire_trace import Clock, Expired, Trace, Wire, utc_now

hide_headers_in_logs()

# Cached, because most calls are equal to an earlier one.
_call: Final = functools.lru_cache(maxsize=256)(Call)


class HttpSession:
    """Sends the requests of one client. Open it with `async with`, in the event loop that uses it.

    `request_timeout_s` limits each request as a whole, connecting included. Connecting has its own, smaller limit, so
    that an unreachable provider raises `Unreachable` instead of `Doubtful`. At most `in_flight` requests run at once.
    """

    def __init__(
        self,
        base_url: str,
        auth: Auth,
        *,
        in_flight: int = 16,
        lane_size: int = 1,
        request_timeout_s: float = 30.0,
        connect_timeout_s: float = 10.0,
        keepalive_s: float = 3.0,
        page_ceiling: int = 10_000,
        patience: Patience | None = None,
        ssl_context: ssl.SSLContext | None = None,
        clock: Clock = utc_now,
        throttle: Throttle | None = None,
    ) -> None:
        self.requests = 0
        self.observed = RequestStats()
        self.dialect: Dialect = DEFAULT
        """Error bodies of the provider. The client of this session sets it."""
        self._throttle = throttle
        self.page_ceiling = page_ceiling
        self._base_url = base_url.rstrip("/")
        self._headers = httpx.Headers(
            {
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                # An answer from a cache does not prove that a resource is missing.
                "Cache-Control": "no-cache",
                "User-Agent": "faturista",
                **auth.headers(),
            }
        )
        self._headers_of = functools.lru_cache(maxsize=4096)(self._build_headers)
        # TCP and TLS each get this much: both must end before the request's own limit.
        connect = min(connect_timeout_s, request_timeout_s / 3)
        self._timeout = httpx.Timeout(None, connect=connect, pool=connect).as_dict()
        self._limits = httpx.Limits(
            max_connections=lane_size, max_keepalive_connections=lane_size, keepalive_expiry=keepalive_s
        )
        self._auth = auth
        self._in_flight = in_flight
        self._lane_size = lane_size
        self._patience = patience or Patience()
        self._ssl_context = ssl_context
        self._clock = clock
        self._slots = Slots(in_flight, throttle.slots if throttle is not None else None)
        self._lanes: list[httpx.AsyncHTTPTransport] = []
        self._free: list[httpx.AsyncHTTPTransport] = []
        self._bound = Bound(request_timeout_s)
        self._url = functools.lru_cache(maxsize=256)(self._build_url)

    async def __aenter__(self) -> Self:
        self._ssl_context = self._ssl_context or (
            httpx.create_ssl_context()
            if self._base_url.startswith("https:")
            else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )
        count = -(-self._in_flight // self._lane_size)
        self._lanes = [self._new_lane() for _ in range(count)]
        # One entry per slot, lanes interleaved. A stack: warm connections are reused first.
        self._free = [self._lanes[slot % count] for slot in range(self._in_flight)]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for lane in self._lanes:
            await lane.aclose()
        self._lanes, self._free = [], []
        self._bound.close()
        await self._slots.close()

    async def read(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int] | None = None,
        *,
        body: bytes | None = None,
        expect: frozenset[int] = OK,
        has_bare_404: bool = False,
    ) -> Response:
        """Send a request that changes nothing at the provider, with retries. Raises `ConnectorError`.

        An expected redirect is an answer with its `Location` in the headers; redirects are never followed.
        """
        url = self._url(path) if query is None else httpx.URL(self._base_url + path, params=dict(query))
        is_page = query is not None and "page" in query
        call = _call(
            method=method, path=path, is_write=False, expect=expect, has_bare_404=has_bare_404, is_page=is_page
        )
        return await self._repeat(_Job(call, url, body))

    async def write(
        self,
        method: str,
        path: str,
        body: bytes | None,
        *,
        expect: frozenset[int],
        foreseen: frozenset[int] = NOTHING,
        is_about_row: bool = True,
        alarms: frozenset[str] = DISTURBING_KEYS,
        issues: bool = False,
        not_after: float | None = None,
    ) -> Response:
        """Send a write once; repeat it only if it is proved that nothing was sent or done.

        `not_after`, an instant of `steady_s`, is the last instant at which a part of the request may be written:
        `TooLate` when nothing was written by then, `Doubtful` when its head was. After a cancellation from outside, the
        outcome is unknown as after `Doubtful`.
        """
        call = _call(
            method=method,
            path=path,
            is_write=True,
            expect=expect,
            foreseen=foreseen,
            is_about_row=is_about_row,
            alarms=alarms,
            issues=issues,
        )
        return await self._repeat(_Job(call, self._url(path), body, not_after))

    async def _repeat(self, job: "_Job") -> Response:
        attempt = earlier = 0
        while True:
            attempt += 1
            try:
                return await (self._try if self._throttle is None else self._try_in_turn)(job, earlier)
            except ConnectorError as error:
                draw = random.random()  # noqa: S311 - spreads load, guards nothing
                wait = decide(error, attempt, job.call, patience=self._patience, draw=draw)
                if wait is None or job.is_too_late(after_s=wait):
                    raise
                earlier = error.wire.requests
            await asyncio.sleep(wait)

    async def _try_in_turn(self, job: "_Job", earlier: int) -> Response:
        assert self._throttle is not None
        await self._throttle.admit(job.call.label, earlier=earlier)
        try:
            answer = await self._try(job, earlier)
        except ConnectorError as error:
            await self._throttle.record_end(error)
            raise
        except BaseException:
            self._throttle.record_abandoned()
            raise
        await self._throttle.record_end(None)
        return answer

    async def _try(self, job: "_Job", earlier: int) -> Response:
        """Send at most one request; occupy the slot only while it runs."""
        call = job.call
        trace = Trace(self._clock, job.is_too_late, has_body=bool(job.body))
        await self._slots.take(call.label, earlier=earlier)
        try:
            response, content = await self._send_timed(job, trace, earlier)
        finally:
            self._slots.free()
        data, is_json = parse_body(content)
        wire = trace.wire(earlier=earlier)
        answer = Response(
            call=call,
            status=response.status_code,
            headers=response.headers,
            data=data,
            is_json=is_json,
            wire=wire,
            size=len(content),
        )
        wrong = classify_answer(
            call,
            answer,
            self._clock,
            dialect=self.dialect,
            secrets=lambda: (*self._auth.secrets(), *secrets_in(job.body)),
        )
        if wrong is not None:
            raise wrong
        return answer

    async def _send_timed(self, job: "_Job", trace: Trace, earlier: int) -> tuple[httpx.Response, bytes]:
        """Send the request in a slot, and count it."""
        call = job.call
        if job.is_too_late():
            raise TooLate(call.label, wire=Wire(requests=earlier))
        status, begun_s, asked_at = None, steady_s(), self._clock()
        try:
            response, content = await self._exchange(job, trace)
            status = response.status_code
            if date_header := response.headers.get("date"):
                self.observed.date = (date_header, asked_at, self._clock())
        except Exception as error:
            if isinstance(error, Expired) and trace.first_byte_at is None:
                raise TooLate(call.label, wire=Wire(requests=earlier)) from error
            # A head without its body is `Doubtful`, too: no rule says what the provider does with it.
            raise classify_no_answer(call, error, trace.wire(earlier=earlier), secrets=self._auth.secrets()) from error
        finally:
            if trace.first_byte_at is not None:
                self.requests += 1
                self.observed.add(call, status, steady_s() - begun_s)
        return response, content

    async def _exchange(self, job: "_Job", trace: Trace) -> tuple[httpx.Response, bytes]:
        request = self._build_request(job)
        trace.listen(request.extensions)
        if job.call.has_empty_answer:
            # A new connection: on a used one, a surplus answer to an earlier request would count as this one's.
            async with self._new_lane() as unused:
                return await self._bound.within(_send_on_lane(unused, request))
        lane = self._free.pop()
        kept: httpx.AsyncHTTPTransport | None = None
        try:
            response, content = await self._bound.within(_send_on_lane(lane, request))
            kept = lane
        finally:
            if kept is not None:
                self._free.append(kept)
            else:
                await self._replace(lane)
        return response, content

    def _new_lane(self) -> httpx.AsyncHTTPTransport:
        return httpx.AsyncHTTPTransport(verify=self._ssl_context or True, limits=self._limits)

    async def _replace(self, lane: httpx.AsyncHTTPTransport) -> None:
        """Replace a lane whose request failed by a new one, at the end of the queue: warm lanes are used first.

        httpcore counts a connection as busy for ever if it is cancelled at the wrong instant; its lane would block. A
        lane of several connections stays open for its other slots.
        """
        fresh = self._new_lane()
        self._lanes.append(fresh)
        self._free.insert(0, fresh)
        if self._lane_size == 1:
            self._lanes.remove(lane)
            with contextlib.suppress(Exception):
                await lane.aclose()

    def _build_url(self, path: str) -> httpx.URL:
        return httpx.URL(self._base_url + path)

    def _build_headers(self, length: int) -> httpx.Headers:
        """Return the headers of a request with `length` bytes of JSON."""
        host = httpx.URL(self._base_url).netloc.decode("ascii")
        more = {"Content-Type": "application/json", "Content-Length": str(length)}
        return httpx.Headers({"Host": host, **self._headers, **more})

    def _build_request(self, job: "_Job") -> httpx.Request:
        extensions = {"timeout": self._timeout}
        method, url, body = job.call.method, job.url, job.body
        if body is None:
            return httpx.Request(method, url, headers=self._headers, extensions=extensions)
        # httpx derives no headers for a stream, so cached ones can be used; most bodies repeat an earlier length.
        headers = self._headers_of(len(body))
        return httpx.Request(method, url, headers=headers, stream=httpx.ByteStream(body), extensions=extensions)


@dataclass(slots=True)
class _Job:
    call: Call
    url: httpx.URL
    body: bytes | None
    not_after: float | None = None

    def is_too_late(self, *, after_s: float = 0.0) -> bool:
        """Return whether `not_after` will have passed in `after_s` seconds."""
        return self.not_after is not None and steady_s() + after_s > self.not_after


async def _send_on_lane(lane: httpx.AsyncHTTPTransport, request: httpx.Request) -> tuple[httpx.Response, bytes]:
    response = await lane.handle_async_request(request)
    try:
        return response, await read_body(response)
    finally:
        await response.aclose()
