"""Secrets, CPFs and certificates go through every call of every client: none may come out in a text.

The test searches the records of all loggers at their lowest level, every exception with its causes, the catalogue's
sentence about it, standard output and error (including a sandbox in a separate process), and the sandbox's journal.
"""

import asyncio
import base64
import inspect
import json
import logging
import re
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from configs.catalogue import Catalogue
from connectors.http.auth import Auth, BasicPair, BasicToken, TokenHeader
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.identity.client import IdentityClient
from connectors.nfe.client import NfeClient
from connectors.nfse.client import NfseClient
from connectors.orders.client import OrdersClient
from domain.problems import FaturistaError
from tests.sandboxes import running_sandbox
from tests.stories.arguments import CERTIFICATE, CPF, PASSWORD, TOKEN, arguments_for

PUNCTUATED: Final = "990.000.001-91"
TRAVELLING: Final = tuple(
    base64.b64encode(text.encode()).decode() for text in (f"{TOKEN}:x", f"{TOKEN}:", f"consumer:{PASSWORD}")
)
SECRETS: Final = (TOKEN, PASSWORD, CERTIFICATE, *TRAVELLING)
CPFS: Final = re.compile(rf"(?<!\d)(?:{CPF}|{re.escape(PUNCTUATED)})(?!\d)")

SANDBOX: Final[Mapping[str, Auth]] = {
    "nfse": BasicToken("sandbox-token"),
    "nfe": TokenHeader("sandbox-product-token"),
    "identity": BasicPair("sandbox-application", "sandbox-secret"),
    "orders": BasicPair("sandbox-consumer", "sandbox-secret"),
}
CLIENTS: Final[Mapping[str, tuple[Callable[[HttpSession], Any], Auth]]] = {
    "nfse": (NfseClient, BasicToken(TOKEN)),
    "nfe": (partial(NfeClient, extensions=True), TokenHeader(TOKEN)),
    "identity": (IdentityClient, BasicPair("consumer", PASSWORD)),
    "orders": (OrdersClient, BasicPair("consumer", PASSWORD)),
}
ADDRESSES: Final = frozenset({"notes.mirror", "notes.pdf", "notes.xml"})
"""Calls that return a document's address from the provider, which may be signed."""
NO_PATIENCE: Final = Patience(tries=1, first_wait_s=0.0)

# An answer that quotes everything back, in each place where a provider may: an indiscreet provider.
SENT: Final = "what was sent"
THING: Final[dict[str, Any]] = {
    "id": SENT,
    "token": TOKEN,
    "password": PASSWORD,
    "certificate": CERTIFICATE,
    "csc": PASSWORD,
    "cpf": CPF,
    "detail": SENT,
    "errors": [{"cpf": [SENT]}, SENT],
    "error_details": [{SENT: [{"error": SENT}]}],
    "field_errors": {"cpf": [SENT], "password": [SENT]},
    "service_values": {"description": [SENT]},
    "taker": SENT,
    "number": SENT,
    "status": SENT,
    "organization": {"id": SENT, "password": PASSWORD, "certificate": {"password": PASSWORD, "content": CERTIFICATE}},
    "nfe": {"id": SENT, "status": SENT},
    "nfce": {"id": SENT, "status": SENT},
}
LIST: Final = {"count": 1, "next": None, "previous": None, "collection": [THING]}
ANSWERS: Final[dict[str, tuple[int, Any]]] = {
    **{str(status): (status, THING) for status in (200, 201, 202, 400, 401, 403, 404, 406, 409, 422, 429, 500, 503)},
    "envelope": (200, LIST),
    "list": (200, [THING]),
    "text": (422, SENT),
    "texts": (422, [SENT]),
    "garbage": (200, f"<html>{SENT}"),
    "elsewhere": (302, THING),
    "silence": (0, None),
}


@dataclass(slots=True)
class Ears:
    """Everything that was logged or raised during a test."""

    leaks: list[str] = field(default_factory=list)

    def hear(self, source: str, text: str) -> None:
        self.leaks += [f"{source}: {canary} in {text[:400]!r}" for canary in found_in(text)]

    def hear_error(self, source: str, error: BaseException) -> None:
        """Record texts and reprs of the error and of all its causes: what a traceback shows beside our source."""
        for each in chain(error):
            self.hear(source, f"{''.join(traceback.format_exception_only(each))} {each!r} {each.args!r}")
        if isinstance(error, FaturistaError):
            for language in ("pt_BR", "en"):
                for sentence in Catalogue.load(language).explain(error):
                    self.hear(source, sentence)


def found_in(text: str, canaries: tuple[str, ...] = SECRETS) -> list[str]:
    return [canary for canary in canaries if canary in text] + ([CPF] if CPFS.search(text) else [])


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class _Handler(logging.Handler):
    def __init__(self, ears: Ears) -> None:
        super().__init__(logging.NOTSET)
        self._ears, self.count = ears, 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        self._ears.hear(f"logger {record.name}", f"{record.getMessage()} {record.args!r} {record.exc_text or ''}")
        if record.exc_info and record.exc_info[1]:
            self._ears.hear_error(f"logger {record.name}", record.exc_info[1])


@pytest.fixture
def ears() -> Iterator[Ears]:
    """Record every logger of the process, at any level."""
    heard = Ears()
    handler = _Handler(heard)
    named = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    libraries = [logging.getLogger(name) for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection")]
    loggers = [logging.getLogger(), *named, *libraries]
    before = [(logger, logger.level, logger.disabled) for logger in loggers]
    logging.getLogger().addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
        logger.disabled = False
    try:
        yield heard
    finally:
        logging.getLogger().removeHandler(handler)
        for logger, level, is_disabled in before:
            logger.setLevel(level)
            logger.disabled = is_disabled
    assert handler.count, "the libraries' own logs were not heard"


@contextmanager
def indiscreet_provider() -> Iterator[str]:
    """Run a server that answers `/<name of an answer>/…` with that answer, to any request."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(_answer, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def leaking(request: str) -> str:
    """Return an indiscreet provider's answer to a request: every secret that came with it, and its owner."""
    authorization = re.search(r"(?im)^authorization: \w+ (?:token=)?(\S+)", request)
    came = [secret for secret in SECRETS if secret in request]
    came += [secret for secret in (TOKEN, PASSWORD) if authorization and secret in _decoded(authorization[1])]
    return f"{CPF} ({PUNCTUATED}) is wrong, {', '.join(came)}"


def _decoded(text: str) -> str:
    try:
        return text + base64.b64decode(text).decode()
    except ValueError:
        return text


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    request = (head + await reader.readexactly(int(length[1]) if length else 0)).decode()
    status, body = ANSWERS[request.split("/", 2)[1]]
    if status:
        text = body if isinstance(body, str) else json.dumps(body)
        raw = text.replace(SENT, leaking(request)).encode()
        writer.write(
            f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
            f"Connection: close\r\nLocation: http://127.0.0.1:9/?token={TOKEN}&cpf={CPF}\r\n"
            f"X-Password: {PASSWORD}\r\n\r\n".encode()
            + raw
        )
    writer.close()


def calls_of(client: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every call of a client, as `noun.verb`."""
    for noun, group in inspect.getmembers(client):
        is_noun = type(group).__module__.startswith("connectors.") and not isinstance(group, HttpSession)
        if is_noun and not noun.startswith("_"):
            for verb, call in inspect.getmembers(group, callable):
                if not verb.startswith("_"):
                    yield f"{noun}.{verb}", call


def documented(system: str) -> set[str]:
    """Return the calls that the connector's table of operations names."""
    text = (
        Path(inspect.getfile(CLIENTS[system][0] if system != "nfe" else NfeClient)).with_name("README.md").read_text()
    )
    table = text.partition("\n## Operations\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[4] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+\.\w+)`", cell)}


async def ring(client: Any, ears: Ears, source: str) -> set[str]:
    """Make each call once with canaries as arguments. Return the names of calls that arrived or were refused."""
    made = set()
    for name, call in calls_of(client):
        try:
            result = call(**arguments_for(call, ears.hear_error))
            if inspect.isawaitable(result):
                result = await result
            if isinstance(result, AsyncIterator):
                result = [page async for page in result]
        except (FaturistaError, ValueError, TypeError, KeyError, LookupError) as error:
            ears.hear_error(f"{source} {name}", error)
        else:
            # An answer may contain a requested CPF, but never a secret.
            is_wanted = isinstance(result, bytes) or name in ADDRESSES
            ears.leaks += (
                [] if is_wanted else [f"{source} {name} hands on {each}" for each in SECRETS if each in repr(result)]
            )
        made.add(name)
    return made


@asynccontextmanager
async def open_client(system: str, base_url: str, credentials: Auth | None = None) -> AsyncIterator[Any]:
    make, auth = CLIENTS[system]
    async with HttpSession(base_url, credentials or auth, patience=NO_PATIENCE, request_timeout_s=20.0) as session:
        yield make(session)


@pytest.mark.parametrize("system", CLIENTS)
def test_an_indiscreet_provider_is_not_repeated(system, ears, capfd):
    async def play(base_url: str) -> None:
        for answer in ANSWERS:
            async with open_client(system, f"{base_url}/{answer}") as client:
                made = await ring(client, ears, f"{system} {answer}")
                assert documented(system) <= made

    with indiscreet_provider() as base_url:
        asyncio.run(play(base_url))
    for stream in capfd.readouterr():
        ears.hear("output", stream)
    assert ears.leaks == [], "\n".join(sorted(set(ears.leaks))[:40])


def test_the_sandbox_notes_down_nothing_personal(ears, capfd):
    """It runs in a separate process: check its output, and its journal of requests and faults."""

    async def play(base_url: str) -> None:
        for system, credentials in SANDBOX.items():
            async with open_client(system, base_url, credentials) as client:
                assert documented(system) <= await ring(client, ears, system)

    with running_sandbox() as sandbox:
        sandbox.faults({"operation": "*", "kind": "status_500", "share": 0.2})
        asyncio.run(play(sandbox.base_url))
        record = sandbox.record(requests=True)
    statuses = {request["status"] for request in record["requests"]}
    assert {200, 404, 500} <= statuses
    for name in ("requests", "applied_faults", "violations", "requests_by_operation"):
        ears.hear(f"the sandbox's {name}", json.dumps(record[name]))
    for secret in ("sandbox-token", "sandbox-product-token", "sandbox-secret"):
        assert secret not in json.dumps(record["requests"])
    for stream in capfd.readouterr():
        ears.hear("output", stream)
    assert ears.leaks == [], "\n".join(sorted(set(ears.leaks))[:40])
