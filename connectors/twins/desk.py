"""The desk: takes every request of a twin's API, finds its operation, applies the scripted fault, records it, answers.

An ASGI application by itself; a Starlette application mounts it. Handlers are plain functions `Call -> Answer` that run
inside one transaction together with the record of their request, so an answer that left is an answer that holds.
"""

import asyncio
import base64
import binascii
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from connectors.twins.answers import Answer, Call, Json, Refusal
from connectors.twins.faults import Faults
from connectors.twins.store import Store
from connectors.twins.trouble import Trouble

Handler = Callable[[Call], Answer]
_ALLOW_OF_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_BODY_CEILING: Final = 5_000_000


@dataclass(frozen=True, slots=True)
class Resource:
    """A documented path: the operation behind each method, and the `Allow` header of all its answers."""

    path: str
    operations: Mapping[str, tuple[str, Handler]]
    allow: str


def resources(table: Mapping[str, Json], handlers: Mapping[str, Handler]) -> dict[str, Resource]:
    """The paths that the handlers cover, from the operations of a `fields.toml`."""
    by_path: dict[str, dict[str, tuple[str, Handler]]] = {}
    for name, handler in handlers.items():
        row = table[name]
        by_path.setdefault(row["path"], {})[row["method"]] = (name, handler)
    found: dict[str, Resource] = {}
    for path, operations in by_path.items():
        extra = {"OPTIONS"} | ({"HEAD"} if "GET" in operations else set())
        methods = [method for method in _ALLOW_OF_METHODS if method in operations or method in extra]
        found[path] = Resource(path, operations, ", ".join(methods))
    return found


class Desk:
    """One twin's front. `before` runs in each request's transaction first: time passes, statuses advance."""

    def __init__(  # noqa: PLR0913 - what a front consists of
        self,
        *,
        store: Store,
        faults: Faults,
        trouble: Trouble,
        paths: Mapping[str, Resource],
        before: Callable[[], None],
        act: Callable[[Json, Answer], None],
        is_token: Callable[[str], bool],
        latency_ms: Callable[[], float],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._faults, self._trouble = store, faults, trouble
        self._paths = {_pattern(path): resource for path, resource in paths.items()}
        self._before, self._act = before, act
        self._is_token, self._latency_ms, self._now = is_token, latency_ms, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"].rstrip("/") or "/"
        resource, rest = self._find(path)
        operation, handler = _operation(resource, method)
        fault = self._faults.choose(operation) or {}
        kind = fault.get("kind")
        if kind == "reset_before":
            self._record(scope, operation, None, kind)
            await self._trouble.reset(scope)
            return
        body = await _read_body(receive)
        headers = dict(scope["headers"])
        early = self._trouble.instead(fault)
        if early is not None or kind in ("reset_after", "close_after"):
            self._record(scope, operation, early, kind)
            await self._trouble.early(scope, send, fault, early)
            return
        if kind == "slow":
            await asyncio.sleep(fault.get("seconds", 1.0))
        call = Call(
            operation=operation,
            path=path,
            base=f"{scope['scheme']}://{headers.get(b'host', b'localhost').decode('latin-1')}",
            query=dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)),
            rest=rest,
            fault=fault if kind == "lagging_counters" else None,
        )
        answer = self._work(scope, headers, call, handler, body, resource, fault)
        latency = self._latency_ms()
        if latency:
            await asyncio.sleep(latency / 1000)
        await self._trouble.deliver(scope, send, _wire_headers(answer, resource), answer, fault)

    def _find(self, path: str) -> tuple[Resource | None, tuple[str, ...]]:
        """The resource of a path and its variable parts. Numbers are ids; one last part may be any text (a serie)."""
        parts = tuple(path.split("/"))
        exact = self._paths.get(tuple("#" if part.isdigit() and part.isascii() else part for part in parts))
        if exact is not None:
            return exact, tuple(part for part in parts if part.isdigit())
        loose = self._paths.get((*("#" if part.isdigit() else part for part in parts[:-1]), "*"))
        return loose, (*(part for part in parts[:-1] if part.isdigit()), parts[-1])

    def _work(  # noqa: PLR0913
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        call: Call,
        handler: Handler | None,
        raw: bytes,
        resource: Resource | None,
        fault: Json,
        /,
    ) -> Answer:
        answer: Answer
        with self._store.transaction():
            self._before()
            try:
                self._admit(headers, resource, handler, scope["method"])
                answer = _options(resource) if handler is None else handler(_with_body(call, raw))
            except Refusal as refusal:
                answer = refusal.answer
            if fault.get("kind") == "act":
                self._act(fault.get("act", {}), answer)
            self._write_record(scope, call.operation, answer, fault.get("kind"))
        return answer

    def _admit(
        self, headers: Mapping[bytes, bytes], resource: Resource | None, handler: Handler | None, method: str
    ) -> None:
        if not self._is_token(_token(headers.get(b"authorization", b""))):
            challenge = {"WWW-Authenticate": 'Basic realm="api"'}
            raise Refusal(401, {"detail": "Bad credentials"}, headers=challenge)
        if resource is None:
            raise Refusal(404, {"detail": "Not found"})
        if handler is None and method != "OPTIONS":
            raise Refusal(405, {"detail": f"Method '{method}' not allowed."})

    def _record(self, scope: Scope, operation: str, answer: Answer | None, kind: str | None) -> None:
        with self._store.transaction():
            self._write_record(scope, operation, answer, kind)

    def _write_record(self, scope: Scope, operation: str, answer: Answer | None, kind: str | None) -> None:
        self._store.run(
            "INSERT INTO requests (at, method, path, query, operation, status, fault, subject) VALUES (?,?,?,?,?,?,?,?)",
            (
                self._now(),
                scope["method"],
                scope["path"],
                scope["query_string"].decode("latin-1"),
                operation,
                answer.status if answer else None,
                kind,
                answer.subject if answer else None,
            ),
        )


def _pattern(path: str) -> tuple[str, ...]:
    return tuple("#" if part == "{id}" else "*" if part.startswith("{") else part for part in path.split("/"))


def _operation(resource: Resource | None, method: str) -> tuple[str, Handler | None]:
    if resource is None:
        return "unknown", None
    named = resource.operations.get("GET" if method == "HEAD" else method)
    return named if named else ("options" if method == "OPTIONS" else "not_allowed", None)


def _token(header: bytes) -> str:
    """The user name of a Basic header; any password will do, the empty one too [A notes 1.17]."""
    scheme, _, credentials = header.decode("latin-1").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _with_body(call: Call, raw: bytes) -> Call:
    if not raw:
        return call
    try:
        body = json.loads(raw)
    except ValueError:
        raise Refusal(400, {"detail": "JSON parse error"}) from None
    return Call(
        operation=call.operation,
        path=call.path,
        base=call.base,
        query=call.query,
        rest=call.rest,
        body=body,
        fault=call.fault,
    )


def _options(resource: Resource | None) -> Answer:
    """What OPTIONS says on collections and instances alike [A notes 1.18]."""
    name = resource.path if resource else ""
    return Answer(
        200, {"name": name, "description": "", "renders": ["application/json"], "parses": ["application/json"]}
    )


def _wire_headers(answer: Answer, resource: Resource | None) -> list[tuple[bytes, bytes]]:
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    if resource is not None:
        headers.append((b"allow", resource.allow.encode()))
    if answer.body is not None or answer.media != "application/json":
        headers.append((b"content-type", answer.media.encode()))
    return headers


async def _read_body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        part = message.get("body", b"")
        size += len(part)
        if part and size <= _BODY_CEILING:
            parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


__all__: Sequence[str] = ["Desk", "Handler", "Resource", "resources"]
