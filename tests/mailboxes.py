"""A mail server and a webhook on this machine that store what they receive."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Mailbox:
    """The received messages. `port` is the listening port; while `is_broken`, the server refuses everything."""

    port: int
    received: list[str] = field(default_factory=list)
    is_broken: bool = False


@contextmanager
def smtp_server() -> Iterator[Mailbox]:
    """Run an SMTP server that speaks just enough to accept a message."""

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 mail.example")
            while line := self.rfile.readline().decode().strip():
                verb = line.partition(" ")[0].upper()
                if box.is_broken:
                    self._say("421 closed")
                    return
                if verb == "DATA":
                    self._say("354 go on")
                    box.received.append(self._message())
                self._say("221 bye" if verb == "QUIT" else "250 ok")
                if verb == "QUIT":
                    return

        def _message(self) -> str:
            lines: list[str] = []
            while (line := self.rfile.readline().decode()) != ".\r\n":
                lines.append(line)
            return "".join(lines)

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
    server.daemon_threads = True
    box = Mailbox(server.server_address[1])
    with _serving(server):
        yield box


@contextmanager
def webhook() -> Iterator[Mailbox]:
    """Run an HTTP server that accepts JSON messages."""

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(500 if box.is_broken else 200)
            self.end_headers()
            if not box.is_broken:
                box.received.append(f"{body['title']}\n{body['message']}")

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the library's name

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    box = Mailbox(server.server_address[1])
    with _serving(server):
        yield box


@contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[None]:
    with server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
