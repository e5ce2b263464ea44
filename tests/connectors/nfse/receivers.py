"""A receiver of webhooks: a web server on loopback that stores requests and answers as a test wants."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_PATIENCE_S = 300.0


class Receiver:
    """`statuses` are answered in turn, then 200; `calls` are (method, parsed body) in order of arrival."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.calls: list[tuple[str, Any]] = []
        self.statuses: list[int] = []
        self.lock = threading.Lock()

    @property
    def deliveries(self) -> list[dict[str, Any]]:
        """Return the deliveries, without the requests that tested the registration."""
        return [body for method, body in self.calls if method == "POST" and body != {"test": True}]

    def changes(self) -> list[tuple[int, str, str]]:
        """Return (note, from, to) of each delivery."""
        return [(delivery["id"], delivery["from_status"], delivery["to_status"]) for delivery in self.deliveries]

    def until(self, count: int) -> list[tuple[int, str, str]]:
        """Wait for this many changes and return them."""
        end = time.monotonic() + _PATIENCE_S
        while len(self.deliveries) < count:
            assert time.monotonic() < end, f"{len(self.deliveries)} of {count} deliveries: {self.calls}"
            time.sleep(0.01)
        return self.changes()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Yield a receiver for the duration of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answer(json.loads(raw) if raw else None)

        def do_GET(self) -> None:
            self._answer(None)

        def _answer(self, body: Any) -> None:
            with receiver.lock:
                receiver.calls.append((self.command, body))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}/rung/7f3a")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(_PATIENCE_S)
