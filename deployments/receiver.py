"""Receive deliveries of webhooks: answer at once, store hints, start a sweep for batches that become due.

Run `python -m deployments.receiver --profile NAME`, or `faturista webhooks serve`. A delivery is unsigned: it changes
only the time of a batch's next look. Length, duration and number of waiting deliveries are limited.
"""

import argparse
import asyncio
import hmac
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from http import HTTPStatus
from typing import Any, Final

import orjson
import uvicorn

from configs.catalogue import Catalogue
from configs.language import language_of
from configs.logs import configure_logs
from connectors.ledger.engine import LedgerUnavailable
from deployments.connections import protocol_with_time_limit
from domain.problems import FaturistaError
from flows.server_errors import server_address
from tasks.runtime import PLAYGROUND, Context, open_context
from tasks.webhooks.address import TRIAL, ReceiverAddress, receiver_address
from tasks.webhooks.hint_queue import HintQueue
from tasks.webhooks.storing import due_hinted, store_hints

LOG: Final = logging.getLogger("faturista.webhooks")
_BACKLOG: Final = 2048
_CONNECTIONS: Final = 1_000
_CONNECTION_S: Final = 30.0
"""Seconds after which a connection ends, unless it has a request under way."""
_BODY_S: Final = 10.0
_PAUSE_S: Final = 0.5
_LOCKED_PAUSE_S: Final = 2.0

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class TooLong(Exception):
    """The body is longer than any genuine delivery."""


class DeliveryApp:
    """The ASGI application: answer 200 to each POST and GET of the secret path, as the provider requires."""

    def __init__(self, receiver: ReceiverAddress, waiting: HintQueue, *, body_bytes: int) -> None:
        self._address, self._waiting, self._body_bytes = receiver, waiting, body_bytes
        self._paths = [path.encode() for path in (receiver.path, receiver.path + TRIAL)]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            status = await self._status(scope, receive)
        except Exception:
            LOG.exception("a delivery could not be read")
            status = HTTPStatus.OK
        await _answer(send, status)

    async def _status(self, scope: Message, receive: Receive) -> HTTPStatus:
        if not self._is_ours(scope["path"].encode(errors="replace")):
            return HTTPStatus.NOT_FOUND
        if scope["method"] in {"GET", "HEAD"}:
            return HTTPStatus.OK
        if scope["method"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED
        try:
            async with asyncio.timeout(_BODY_S):
                body = await self._body(scope, receive)
        except TooLong:
            self._waiting.counts["too_long"] += 1
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        except TimeoutError:
            self._waiting.counts["unreadable"] += 1
            return HTTPStatus.REQUEST_TIMEOUT
        self._waiting.add(self._address.webhooks, _parsed(body))
        return HTTPStatus.OK

    def _is_ours(self, path: bytes) -> bool:
        """Return whether the path ends with ours, compared in constant time. A proxy may add a prefix."""
        return any([hmac.compare_digest(path[-len(each) :], each) for each in self._paths])  # noqa: C419 - compare all

    async def _body(self, scope: Message, receive: Receive) -> bytes:
        announced = dict(scope["headers"]).get(b"content-length", b"")
        if announced.isdigit() and (len(announced) > len(str(self._body_bytes)) or int(announced) > self._body_bytes):
            raise TooLong
        body, has_more = b"", True
        while has_more:
            message = await receive()
            body += message.get("body", b"")
            has_more = message.get("more_body", False)
            if len(body) > self._body_bytes:
                raise TooLong
        return body


def _parsed(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except ValueError:
        return None


async def _answer(send: Send, status: HTTPStatus) -> None:
    headers = [(b"content-length", b"0")]
    if status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": b""})


class Receiver:
    """A receiver with a listening socket: connections wait until `run` answers them."""

    def __init__(self, context: Context, *, host: str, port: int, connection_s: float = _CONNECTION_S) -> None:
        self._context, self._address = context, receiver_address(context)
        settings = context.settings.webhooks
        self.waiting = HintQueue(settings.most_waiting)
        self._sweep_every_s = settings.sweep_every_s
        self._listening = _listening(host, port)
        self.port: int = self._listening.getsockname()[1]
        config = uvicorn.Config(
            DeliveryApp(self._address, self.waiting, body_bytes=settings.body_bytes),
            http=protocol_with_time_limit(connection_s, answer_s=2 * _BODY_S),
            ws="none",
            lifespan="off",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            # a flood of malformed requests would fill the disk with log lines
            log_config=None,
            log_level="critical",
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._sweep_at = 0.0
        self._start_sweep = _starter()

    async def run(self) -> None:
        """Answer until `stop`, or until SIGINT or SIGTERM in the main thread; then store the waiting hints."""
        with closing(self._listening):
            storing = asyncio.create_task(self._keep_storing())
            await self._server.serve(sockets=[self._listening])
            storing.cancel()
            with suppress(asyncio.CancelledError):
                await storing
        with suppress(LedgerUnavailable):
            await store_hints(self._context, self._address, self.waiting)

    def stop(self) -> None:
        """Stop a receiver that runs in another thread."""
        self._server.should_exit = True

    async def _keep_storing(self) -> None:
        """Store hints twice a second. While the ledger cannot be written, hints wait and answers stay fast."""
        while True:
            await asyncio.sleep(_PAUSE_S)
            try:
                await self._store()
            except LedgerUnavailable as error:
                LOG.warning("the ledger cannot be written", extra={"figures": {"code": error.problem.code}})
                await asyncio.sleep(_LOCKED_PAUSE_S)
            except Exception:
                LOG.exception("hints could not be stored")
                await asyncio.sleep(_LOCKED_PAUSE_S)

    async def _store(self) -> None:
        counts = await store_hints(self._context, self._address, self.waiting)
        if counts:
            LOG.info("deliveries", extra={"figures": {**counts, "waiting": len(self.waiting)}})
        clock = asyncio.get_running_loop().time
        if self._start_sweep and clock() >= self._sweep_at and await due_hinted(self._context):
            self._sweep_at = clock() + self._sweep_every_s
            try:
                if await self._start_sweep(self._context.settings.name):
                    LOG.info("sweep started")
            except Exception:
                LOG.warning("no sweep could be started", exc_info=True)


def _starter() -> Callable[[str], Awaitable[bool]] | None:
    """Return the function that starts a sweep; None without a server, because importing Prefect takes a second."""
    if not server_address():
        return None
    from deployments.sweeps import start_sweep  # noqa: PLC0415

    return start_sweep


def _listening(host: str, port: int) -> socket.socket:
    # asyncio turns off Nagle's delay (40 ms an answer) only if the protocol is named.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def receive(profile: str) -> None:
    """Receive until stopped. Raises `FaturistaError` for invalid settings, `OSError` for a port in use."""
    with open_context(profile) as context:
        configure_logs(context.settings.logs.level)
        settings = context.settings.webhooks
        receiver = Receiver(context, host=settings.host, port=settings.port)
        LOG.info("listening", extra={"figures": {"port": receiver.port}})
        asyncio.run(receiver.run())


def main() -> None:
    """Run the receiver. Exit code 2 for a mistake that the message explains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=PLAYGROUND)
    profile = parser.parse_args().profile
    words = Catalogue.load(language_of(profile))
    for number in (signal.SIGINT, signal.SIGTERM):
        # The server stops at a signal and then raises it again for its caller.
        signal.signal(number, lambda *_: None)
    try:
        receive(profile)
    except FaturistaError as error:
        print(*words.explain(error), sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    except (OSError, OverflowError):
        print(words.text("webhooks.port_taken"), file=sys.stderr)  # noqa: T201
        sys.exit(2)


if __name__ == "__main__":
    main()
