"""Requests byte for byte as HTTP libraries of other languages send them: the sandbox accepts each like ours."""

import base64
import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.sandboxes import TOKEN, RunningSandbox, running_sandbox

TAKER = {"cnpj": "99777001000104", "social_reason": "Ação/Reação São João Ltda", "fancy_name": None}
_BASIC = base64.b64encode(f"{TOKEN}:x".encode()).decode()
_PATIENCE_S = 300


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with running_sandbox(in_thread=True) as running:
        yield running


def by_curl_of_php(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of cURL: letters and slashes escaped; a body over a kilobyte waits for 100 Continue."""
    text = json.dumps(TAKER, indent=400).replace("/", "\\/").encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {_BASIC}\r\nAccept: */*\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\nExpect: 100-continue\r\n\r\n"
    yield head.encode()
    yield text


def by_fetch_of_node(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of fetch: letters as UTF-8, header names in lower case, any compression accepted."""
    text = json.dumps(TAKER, ensure_ascii=False, separators=(",", ":")).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: keep-alive\r\nauthorization: Basic {_BASIC}\r\n"
    head += "content-type: application/json;charset=UTF-8\r\naccept: application/json, text/plain, */*\r\n"
    head += "accept-language: *\r\nsec-fetch-mode: cors\r\naccept-encoding: identity\r\n"
    head += f"content-length: {len(text)}\r\n\r\n"
    yield head.encode() + text


def by_http_client_of_dotnet(host: str, path: str) -> Iterator[bytes]:
    """Yield a request of `PostAsJsonAsync`: a chunked body with letters beyond ASCII escaped."""
    text = json.dumps(TAKER).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {_BASIC}\r\n"
    head += "Transfer-Encoding: chunked\r\nContent-Type: application/json; charset=utf-8\r\n\r\n"
    yield head.encode()
    for part in (text[:40], text[40:], b""):
        yield f"{len(part):X}\r\n".encode() + part + b"\r\n"


@pytest.mark.parametrize("send", [by_curl_of_php, by_fetch_of_node, by_http_client_of_dotnet])
def test_a_taker_is_made_as_it_was_asked_for(sandbox: RunningSandbox, send) -> None:
    sandbox.control("reset")
    where = urlsplit(sandbox.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=_PATIENCE_S) as line:
        file = line.makefile("rb")
        for part in send(where.netloc, "/api/v1/takers"):
            line.sendall(part)
            if b"Expect: 100-continue" in part:
                assert file.readline().startswith(b"HTTP/1.1 100 ")
                assert file.readline() == b"\r\n"
        status = file.readline()
        headers = dict(row.decode().strip().lower().split(": ", 1) for row in iter(file.readline, b"\r\n"))
        body = json.loads(file.read(int(headers["content-length"])))
        file.close()
    assert status.startswith(b"HTTP/1.1 201 "), body
    _, found, _ = sandbox.call("GET", f"/api/v1/takers/{body['id']}")
    assert (found["cnpj"], found["social_reason"]) == (TAKER["cnpj"], TAKER["social_reason"])
