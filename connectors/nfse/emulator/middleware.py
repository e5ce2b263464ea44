"""Serve documents of notes, test a webhook's URL before its registration, and start due deliveries."""

import json
from collections.abc import Callable
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connectors.emulation.messages import Refusal
from connectors.nfse.emulator.note_documents import PREFIX, document_at
from connectors.nfse.emulator.state import EmulatorState
from connectors.nfse.emulator.webhook_delivery import WebhookSender
from connectors.nfse.emulator.webhook_loopback import is_reachable, status_of

_WEBHOOKS: Final = "/api/v1/webhooks"
_TEST: Final = {"test": True}
_BODY_CEILING: Final = 65_536


class EmulatorMiddleware:
    """Serves documents, tests webhooks' URLs and starts deliveries; passes other requests to `dispatcher`.

    It tests URLs here, because handlers run in a transaction and must not wait. `admit` gets the `Authorization`
    header; when it raises a `Refusal`, no URL is called.
    """

    def __init__(
        self, world: EmulatorState, dispatcher: ASGIApp, sender: WebhookSender, admit: Callable[[str], None]
    ) -> None:
        self._world, self._dispatcher, self._sender, self._admit = world, dispatcher, sender, admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith(PREFIX):
            await self._show(path, send)
        elif scope["method"] == "POST" and path.rstrip("/") == _WEBHOOKS:
            await self._register(scope, receive, send)
        else:
            await self._dispatcher(scope, receive, send)
        if self._world.outbox.webhook_ids:
            self._sender.begin()

    async def _show(self, path: str, send: Send) -> None:
        """Send a document to anybody who knows its URL, without a token [A notes 1.10]."""
        body, media = document_at(self._world, path) or (b"", "text/plain")
        headers = [(b"Content-Type", media.encode()), (b"Content-Length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200 if body else 404, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _register(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages: list[Message] = []
        body = b""
        while len(body) <= _BODY_CEILING:
            message = await receive()
            messages.append(message)
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        url = _url(body)
        if url is not None and self._may_enter(scope):
            self._world.outbox.tried[url] = await _answers(url)

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        try:
            await self._dispatcher(scope, again, send)
        finally:
            self._world.outbox.tried.pop(url or "", None)

    def _may_enter(self, scope: Scope) -> bool:
        try:
            self._admit(dict(scope["headers"]).get(b"authorization", b"").decode("latin-1"))
        except Refusal:
            return False
        return True


def _url(body: bytes) -> str | None:
    """Return the webhook URL in a registration; None if it is missing or is not plain HTTP on this machine."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    url = found.get("url") if isinstance(found, dict) else None
    return url if isinstance(url, str) and is_reachable(url) else None


async def _answers(url: str) -> bool:
    """Return whether the URL answers the test POST, and a GET, with 200."""
    return await status_of("POST", url, _TEST) == 200 and await status_of("GET", url) == 200
