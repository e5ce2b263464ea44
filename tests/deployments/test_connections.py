"""Connections that say nothing, or never come to an end, do not keep honest deliveries out."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.deployments.listening import PATIENCE_S, claim, post, receiving
from tests.tasks.workshop import Workshop, blank_ledger, provider, shop

__all__ = ["blank_ledger", "provider", "shop"]

HALF_A_HEAD = b"POST / HTTP/1.1\r\nHost: receiver.example\r\n"
BRIEFLY_S = 0.5


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD], ids=["nothing", "half a head"])
def test_an_unfinished_request_ends_in_time(shop: Workshop, sent: bytes):
    with receiving(shop, connection_s=BRIEFLY_S) as url, ExitStack() as opened:
        place = urlsplit(url).hostname, urlsplit(url).port
        silent = [opened.enter_context(socket.create_connection(place, timeout=PATIENCE_S)) for _ in range(20)]
        for each in silent:
            each.sendall(sent)
        assert [each.recv(1) for each in silent] == [b""] * 20
        assert post(url, claim(1)) == 200


def test_a_request_under_way_is_answered(shop: Workshop):
    with receiving(shop, connection_s=BRIEFLY_S) as url:
        place, path = (urlsplit(url).hostname, urlsplit(url).port), urlsplit(url).path
        with socket.create_connection(place, timeout=PATIENCE_S) as slow:
            slow.sendall(f"POST {path} HTTP/1.1\r\nHost: receiver.example\r\nContent-Length: 2\r\n\r\n{{".encode())
            with socket.create_connection(place, timeout=PATIENCE_S) as later:
                # Its end shows that the half second of the earlier connection is over.
                assert later.recv(1) == b""
            slow.sendall(b"}")
            assert slow.recv(15) == b"HTTP/1.1 200 OK"
