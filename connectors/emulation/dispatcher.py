"""The front of an emulator, an ASGI application: route a request, apply its scripted fault, record it, answer it.

Handlers are plain functions `Call -> Response`. A handler and the journal entry of its request share one transaction,
committed before the answer is sent.
"""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from connectors.emulation.fault_injection import FaultInjector
from connectors.emulation.faults import BY_HANDLER, Faults
from connectors.emulation.messages import Call, Form, Json, Refusal, Response, not_found, parse, unreadable_body
from connectors.emulation.request_journal import note_request
from connectors.emulation.state_file import Store

Handler = Callable[[Call], Response]
_ALLOW_OF_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_BODY_CEILING: Final = 5_000_000
_FORM: Final = "application/x-www-form-urlencoded"
_OTHER_MEDIA: Final = frozenset({_FORM, "multipart/form-data", "application/xml", "text/xml", "application/yaml"})
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_IDS: Final = frozenset({"{id}", "{order_id}"})


@dataclass(frozen=True, slots=True)
class Resource:
    """A documented path: the operation of each method, and the `Allow` header of all its answers."""

    path: str
    operations: Mapping[str, tuple[str, Handler]]
    allow: str
    writable: tuple[str, ...] = ()
    """Fields that OPTIONS lists as writable, if the service does so."""


def resources(table: Mapping[str, Json], handlers: Mapping[str, Handler]) -> dict[str, Resource]:
    """Return the resources by path. `table` has the operations of a `fields.toml`, `handlers` the handler of each."""
    by_path: dict[str, dict[str, tuple[str, Handler]]] = {}
    for name, handler in handlers.items():
        row = table[name]
        by_path.setdefault(row["path"], {})[row["method"]] = (name, handler)
    found: dict[str, Resource] = {}
    for path, operations in by_path.items():
        extra = {"OPTIONS"} | ({"HEAD"} if "GET" in operations else set())
        methods = [method for method in _ALLOW_OF_METHODS if method in operations or method in extra]
        writable = tuple(field for name, _ in operations.values() for field in table[name].get("writable", ()))
        found[path] = Resource(path, operations, ", ".join(methods), writable)
    return found


class RequestDispatcher:
    """Routes, answers and journals the requests to one emulator.

    `before` runs first in each request's transaction and advances statuses with the clock. `act` performs the person's
    act that a fault contains. `admit` gets the `Authorization` header and raises `Refusal` if it is not valid.
    `missing` returns the refusal of an unknown path, `unreadable` that of a body that is not JSON. `takes_forms` also
    accepts bodies in HTML form encoding.
    """

    def __init__(
        self,
        *,
        store: Store,
        faults: Faults,
        trouble: FaultInjector,
        paths: Mapping[str, Resource],
        before: Callable[[], None],
        act: Callable[[Json, Response], None],
        admit: Callable[[str], None],
        latency_ms: Callable[[], float],
        now: Callable[[], float] = time.time,
        missing: Callable[[], Refusal] = not_found,
        unreadable: Callable[[], Refusal] = unreadable_body,
        takes_forms: bool = False,
    ) -> None:
        self._store, self._faults, self._trouble = store, faults, trouble
        self._paths = {_pattern(path): resource for path, resource in paths.items()}
        self._loose = {pattern: resource for pattern, resource in self._paths.items() if "*" in pattern}
        self._before, self._act = before, act
        self._admit_bearer, self._latency_ms, self._now = admit, latency_ms, now
        self._missing, self._unreadable = missing, unreadable
        self._takes_forms = takes_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].rstrip("/") or "/"
        resource, rest = self._find(path)
        operation, handler = _operation(resource, scope["method"])
        visit = _Visit(scope, dict(scope["headers"]), resource, handler, self._faults.choose(operation) or {})
        if visit.kind == "reset_before":
            self._record(visit, operation, None)
            await self._trouble.reset(scope)
            return
        body = await _read_body(receive)
        if body is None:
            return
        early = self._trouble.instead(visit.fault)
        if early is not None or visit.kind in ("reset_after", "close_after"):
            self._record(visit, operation, early)
            await self._trouble.early(scope, send, visit.fault, early)
            return
        if visit.kind == "slow":
            await asyncio.sleep(visit.fault.get("seconds", 1.0))
        if visit.kind == "held":
            await self._trouble.hold(scope, visit.fault)
        answer = self._work(visit, operation, path, rest, body)
        if visit.kind == "held":
            return
        if visit.kind == "release":
            self._trouble.release()
        latency = self._latency_ms()
        if latency:
            await asyncio.sleep(latency / 1000)
        await self._trouble.deliver(scope, send, _wire_headers(answer, resource), answer, visit.fault)

    def _find(self, path: str) -> tuple[Resource | None, tuple[str, ...]]:
        """Return the resource of a path, or None, and the path's variable parts: ids or any text (a serie)."""
        parts = tuple(path.split("/"))
        exact = self._paths.get(tuple(_mark(part) for part in parts))
        if exact is not None:
            return exact, tuple(part for part in parts if part.isdigit())
        for pattern, resource in self._loose.items():
            if _fits(pattern, parts):
                return resource, tuple(part for mark, part in zip(pattern, parts, strict=True) if mark in ("#", "*"))
        return None, ()

    def _work(self, visit: "_Visit", operation: str, path: str, rest: tuple[str, ...], raw: bytes) -> Response:
        answer: Response
        with self._store.transaction():
            self._before()
            try:
                self._admit(visit)
                call = visit.call(operation, path, rest, self._parse_body(visit, raw))
                answer = visit.handler(call) if visit.handler else _options(visit)
            except Refusal as refusal:
                answer = refusal.answer
            if visit.kind == "act":
                self._act(visit.fault.get("act", {}), answer)
            self._write_record(visit, operation, answer)
        return answer

    def _parse_body(self, visit: "_Visit", raw: bytes) -> Any:
        """Return a request's body: JSON, whatever its content type, or a form if the service accepts forms.

        Several clients send JSON with the content type of a form, their library's default.
        """
        try:
            return parse(raw) if raw else None
        except ValueError:
            media = visit.headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
            if self._takes_forms and media == _FORM:
                return _form(raw)
            if media in _OTHER_MEDIA and visit.scope["method"] in _WITH_BODY:
                raise Refusal(415, {"detail": f"Unsupported media type '{media}' in request."}) from None
            raise self._unreadable() from None

    def _admit(self, visit: "_Visit") -> None:
        self._admit_bearer(visit.headers.get(b"authorization", b"").decode("latin-1"))
        if visit.resource is None:
            raise self._missing()
        method = visit.scope["method"]
        if visit.handler is None and method != "OPTIONS":
            raise Refusal(405, {"detail": f"Method '{method}' not allowed."})

    def _record(self, visit: "_Visit", operation: str, answer: Response | None) -> None:
        with self._store.transaction():
            self._write_record(visit, operation, answer)

    def _write_record(self, visit: "_Visit", operation: str, answer: Response | None) -> None:
        scope = visit.scope
        query = scope["query_string"].decode("latin-1")
        status, subject = (answer.status, answer.subject) if answer else (None, None)
        note_request(
            self._store, (self._now(), scope["method"], scope["path"], query, operation, status, visit.kind, subject)
        )


@dataclass(frozen=True, slots=True)
class _Visit:
    """One request in the dispatcher."""

    scope: Scope
    headers: Mapping[bytes, bytes]
    resource: Resource | None
    handler: Handler | None
    fault: Json

    @property
    def kind(self) -> str | None:
        """Return the kind of its fault, or None."""
        return self.fault.get("kind")

    def call(self, operation: str, path: str, rest: tuple[str, ...], body: Any) -> Call:
        host = self.headers.get(b"host", b"localhost").decode("latin-1")
        query = self.scope["query_string"].decode("latin-1")
        return Call(
            operation=operation,
            path=path,
            base=f"{self.scope['scheme']}://{host}",
            query=dict(parse_qsl(query)) if query else {},
            rest=rest,
            body=body,
            fault=self.fault if self.kind in BY_HANDLER else None,
        )


def _form(raw: bytes) -> Form:
    """Return the fields of a form; a repeated field is a list."""
    found = Form()
    for name, value in parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True):
        known = found.get(name)
        found[name] = value if known is None else [*(known if isinstance(known, list) else [known]), value]
    return found


def _pattern(path: str) -> tuple[str, ...]:
    return tuple("#" if part in _IDS else "*" if part.startswith("{") else part for part in path.split("/"))


def _mark(part: str) -> str:
    """Return `#` for a number, else the path part itself. A literal `#` or `*` becomes empty: it is no placeholder."""
    return "#" if part.isdigit() and part.isascii() else "" if part in ("#", "*") else part


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Return whether the parts of a path match a pattern: `#` is a number, `*` any text, any other mark itself."""
    return len(pattern) == len(parts) and all(
        (part.isdigit() and part.isascii()) if mark == "#" else bool(part) if mark == "*" else mark == part
        for mark, part in zip(pattern, parts, strict=True)
    )


def _operation(resource: Resource | None, method: str) -> tuple[str, Handler | None]:
    if resource is None:
        return "unknown", None
    named = resource.operations.get("GET" if method == "HEAD" else method)
    return named or ("options" if method == "OPTIONS" else "not_allowed", None)


def by_token(is_token: Callable[[str], bool]) -> Callable[[str], None]:
    """Return a check that admits a Basic header whose user is the token, with any password [A notes 1.17]."""

    def admit(header: str) -> None:
        if not is_token((basic_pair(header) or ("", ""))[0]):
            raise Refusal(401, {"detail": "Bad credentials"}, headers={"WWW-Authenticate": 'Basic realm="api"'})

    return admit


def basic_pair(header: str) -> tuple[str, str] | None:
    """Return the user name and the password of a Basic header, or None for any other header."""
    pair = credentials(header, "basic")
    if pair is None:
        return None
    try:
        user, _, password = base64.b64decode(pair, validate=True).decode().partition(":")
    except ValueError:  # the header may have invalid base64 or invalid UTF-8
        return None
    return user, password


def credentials(header: str, scheme: str) -> str | None:
    """Return what an `Authorization` header has after this scheme, None for another one.

    A scheme has any capitals, and one or more spaces after it (RFC 9110, 11.1 and 11.4).
    """
    found, _, rest = header.partition(" ")
    return rest.strip() if found.lower() == scheme else None


def _options(visit: _Visit) -> Response:
    """Answer OPTIONS, for collections and instances alike [A notes 1.18]."""
    name, writable = (visit.resource.path, visit.resource.writable) if visit.resource else ("", ())
    options: Json = {"name": name, "description": "", "renders": ["application/json"], "parses": ["application/json"]}
    if writable:
        options["fields"] = {field: {"read_only": False} for field in writable}
    return Response(200, options)


def _wire_headers(answer: Response, resource: Resource | None) -> list[tuple[bytes, bytes]]:
    """Return the headers with names in title case, as the provider writes them; some clients depend on it."""
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    if resource is not None:
        headers.append((b"Allow", resource.allow.encode()))
    if answer.body is not None or answer.media != "application/json":
        headers.append((b"Content-Type", answer.media.encode()))
    return headers


async def _read_body(receive: Receive) -> bytes | None:
    """Return the body, or None if the client left before it was complete: such a request never arrived.

    Drops the chunks beyond the size limit.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if part and size <= _BODY_CEILING:
            parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
