"""Apply a scripted fault to a request, at the real socket where there is one."""

import asyncio
import contextlib
import json
from http import HTTPStatus
from typing import Any, Final

from starlette.types import Scope, Send

from connectors.emulation.messages import Json, Response
from connectors.emulation.sockets import Wire

Headers = list[tuple[bytes, bytes]]
_GATEWAY_PAGE: Final = "<html><body><h1>The page was not found</h1></body></html>"
_HOUR: Final = 3600.0
_STATUS_KINDS: Final = {"status_500": 500, "status_503": 503, "status_429": 429, "status_422": 422}


class FaultInjector:
    """Applies faults to requests. Without a `wire` (no real socket), a connection fault only omits the answer."""

    def __init__(self, wire: Wire | None) -> None:
        self._wire = wire
        self._released = asyncio.Event()

    @staticmethod
    def instead(fault: Json) -> Response | None:
        """Return the answer that the fault sends instead of the handler's, or None if it has no such answer."""
        if fault.get("kind") in _STATUS_KINDS and fault.get("when", "before") == "before":
            return _status_answer(fault)
        if fault.get("kind") == "gateway":
            return Response(int(fault.get("status", 404)), _GATEWAY_PAGE, media=str(fault.get("media", "text/html")))
        return None

    async def hold(self, scope: Scope, fault: Json) -> None:
        """Close the connection, then wait for `release` or the fault's `seconds`."""
        released = self._released
        await self.close(scope)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(released.wait(), fault.get("seconds", _HOUR))

    def release(self) -> None:
        """Let the handlers of all `held` requests run."""
        self._released.set()
        self._released = asyncio.Event()

    async def early(self, scope: Scope, send: Send, fault: Json, answer: Response | None) -> None:
        """Apply a fault that prevents the handler: send `answer` if there is one, else end the connection."""
        if answer is not None:
            await _send(send, scope, _plain_headers(answer), answer.status, answer.encoded())
        elif fault["kind"] == "close_after":
            await self.close(scope)
        else:
            await self.reset(scope)

    async def deliver(self, scope: Scope, send: Send, headers: Headers, answer: Response, fault: Json) -> None:
        """Send the answer as the fault changes it. The handler's work is committed before."""
        kind = fault.get("kind")
        status, raw = answer.status, answer.encoded()
        if kind == "lose_answer":
            await (self.reset(scope) if fault.get("how") == "reset" else self.close(scope))
        elif kind == "hang":
            if self._wire is not None:
                await self._wire.until_client_leaves(scope["client"], fault.get("seconds", _HOUR))
            await self.close(scope)
        elif kind == "truncated":
            await self._send_half(scope, send, headers, answer)
        elif kind == "truncated_head":
            await self._half_a_head(scope, status)
        elif kind in _STATUS_KINDS:
            after = _status_answer(fault)
            await _send(send, scope, _plain_headers(after), after.status, after.encoded())
        else:
            if kind == "late":
                await asyncio.sleep(fault.get("seconds", 1.0))
            if kind == "content_type":
                media = str(fault.get("media", "text/html")).encode()
                headers = [(name, media if name == b"Content-Type" else value) for name, value in headers]
            await _send(send, scope, headers, status, _distort_body(kind, fault, answer, raw))

    async def close(self, scope: Scope) -> None:
        if self._wire is not None:
            await self._wire.close(scope["client"])

    async def reset(self, scope: Scope) -> None:
        if self._wire is not None:
            await self._wire.reset(scope["client"])

    async def _send_half(self, scope: Scope, send: Send, headers: Headers, answer: Response) -> None:
        raw = answer.encoded()
        length = (b"Content-Length", str(len(raw)).encode())
        await send({"type": "http.response.start", "status": answer.status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": raw[: len(raw) // 2], "more_body": True})
        await self.close(scope)

    async def _half_a_head(self, scope: Scope, status: int) -> None:
        if self._wire is not None:
            head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: appli"
            await self._wire.write_and_close(scope["client"], head.encode())


def _distort_body(kind: str | None, fault: Json, answer: Response, raw: bytes) -> bytes:
    if kind == "malformed":
        return raw[: len(raw) // 2]
    if kind == "altered" and isinstance(answer.body, dict):
        return json.dumps(_overlaid(answer.body, fault.get("fields", {}))).encode()
    if kind == "altered" and isinstance(answer.body, list):
        return json.dumps([_overlaid(each, fault.get("fields", {})) for each in answer.body]).encode()
    return raw


def _overlaid(body: Json, fields: Json) -> Json:
    """Return `body` with the keys of `fields` overwritten, nested objects key by key."""
    result: dict[str, Any] = dict(body)
    for name, value in fields.items():
        inner = result.get(name)
        result[name] = _overlaid(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return result


def _status_answer(fault: Json) -> Response:
    status = _STATUS_KINDS[fault["kind"]]
    retry = {"Retry-After": str(fault.get("seconds", 1))} if status in (429, 503) else {}
    words = HTTPStatus(status).phrase
    # All emulated services use one of these refusal shapes.
    return Response(status, {"errors": [words]} if status == 422 else {"detail": words}, retry)


def _plain_headers(answer: Response) -> Headers:
    own = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
    return [*own, (b"Content-Type", answer.media.encode())]


async def _send(send: Send, scope: Scope, headers: Headers, status: int, raw: bytes) -> None:
    if status != 204:
        headers = [*headers, (b"Content-Length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else raw})
