"""Documents fetched over real sockets: the allowed hosts, the sent headers, and the limits."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from connectors.http.downloads import Downloads, ForeignHost
from connectors.http.errors import Broken, NotFound, Unreadable

SEEN: list[dict[str, str]] = []
BOMB = gzip.compress(bytes(64 * 1024 * 1024), 1)


class Provider(BaseHTTPRequestHandler):
    """Answers by path."""

    def do_GET(self) -> None:
        """Answer."""
        SEEN.append({name.lower(): value for name, value in self.headers.items()})
        answers: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/paper": (200, {}, b"<nfse/>"),
            "/moved": (302, {"Location": "/paper"}, b""),
            "/away": (302, {"Location": "http://papers.example/paper"}, b""),
            "/round": (302, {"Location": "/round"}, b""),
            "/large": (200, {}, b"x" * 2_000),
            "/broken": (500, {}, b""),
            "/packed": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"<nfse/>")),
            "/bomb": (200, {"Content-Encoding": "gzip"}, BOMB),
            "/bomb-in-a-bomb": (200, {"Content-Encoding": "gzip, gzip"}, gzip.compress(BOMB)),
            "/no-address": (302, {"Location": "http://[::1/"}, b""),
            "/no-port": (302, {"Location": "http://127.0.0.1:99999/"}, b""),
        }
        status, headers, body = answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "Set-Cookie": "id=1"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def fetch(url: str, *, hosts: tuple[str, ...] = ("127.0.0.1",), timeout_s: float = 20.0) -> bytes:
    async def work() -> bytes:
        async with Downloads(hosts, longest_bytes=1_000, timeout_s=timeout_s) as downloads:
            return await downloads.fetch(url)

    return asyncio.run(work())


def test_a_redirect_is_followed_without_credentials_or_cookies():
    with serving() as base:
        SEEN.clear()
        assert fetch(f"{base}/moved") == b"<nfse/>"
    assert len(SEEN) == 2
    assert not any({"authorization", "cookie"} & headers.keys() for headers in SEEN)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/away", ForeignHost),
        ("/round", Unreadable),
        ("/large", Unreadable),
        ("/broken", Broken),
        ("/bomb", Unreadable),
        ("/bomb-in-a-bomb", Broken),
        ("/no-address", ForeignHost),
        ("/no-port", ForeignHost),
        ("/nothing", NotFound),
    ],
)
def test_a_bad_document_raises_its_own_error(path: str, error: type[Exception]):
    with serving() as base, pytest.raises(error) as caught:
        fetch(f"{base}{path}")
    assert base not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        lambda base: base.replace("127.0.0.1", "localhost") + "/paper",
        lambda base: base.replace("//", "//user@") + "/paper",
        lambda _: "ftp://127.0.0.1/paper",
        lambda _: "file:///etc/passwd",
        lambda _: "",
        lambda _: "http://[::1",
        lambda _: "http://127.0.0.1:99999/paper",
    ],
)
def test_an_address_that_is_not_allowed_is_never_asked(address: Callable[[str], str]):
    with serving() as base:
        SEEN.clear()
        with pytest.raises(ForeignHost):
            fetch(address(base))
    assert SEEN == []


def test_another_host_needs_https():
    with pytest.raises(ForeignHost):
        fetch("http://papers.example/paper", hosts=("papers.example",))


def test_a_host_that_does_not_answer_may_be_asked_again():
    with pytest.raises(Broken):
        fetch("http://127.0.0.1:1/paper")


def test_a_packed_document_is_unpacked():
    with serving() as base:
        assert fetch(f"{base}/packed") == b"<nfse/>"


def test_a_bomb_is_never_unpacked_beyond_the_limit():
    with serving() as base:
        tracemalloc.start()
        try:
            for path in ("/bomb", "/bomb-in-a-bomb"):
                with pytest.raises((Unreadable, Broken)):
                    fetch(f"{base}{path}")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 16 * 1024 * 1024
