"""The emulator's own requests: to this machine only, and without an answer there is no status."""

import asyncio

import pytest

from connectors.nfse.emulator.webhook_loopback import is_address, is_reachable, status_of
from tests.connectors.http.sockets import http, serving
from tests.connectors.nfse.receivers import receiving


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/x?y=1", "http://127.9.9.9/", "http://localhost:1/", "http://[::1]:8000/",
        "http://user@127.0.0.1/",
    ],
)  # fmt: skip
def test_an_address_of_this_machine_is_reachable(url):
    assert is_address(url)
    assert is_reachable(url)


@pytest.mark.parametrize(
    "host",
    [
        "10.1.2.3", "192.0.2.1:80", "0.0.0.0", "[::2]", "[fe80::1]", "provider.example", "127.0.0.1@10.1.2.3",
        "127.0.0.1.example", "2130706433", "169.254.1.1",
    ],
)  # fmt: skip
def test_an_address_of_another_machine_is_never_called(host):
    url = f"http://{host}/"
    assert is_address(url)
    assert not is_reachable(url)
    assert asyncio.run(status_of("GET", url)) is None


def test_an_https_address_is_not_reachable():
    """This machine's own receivers use plain HTTP; a certificate would need a trust store."""
    assert not is_reachable("https://127.0.0.1/")


@pytest.mark.parametrize(
    "url", ["", "x", "http://", "http://[", "//127.0.0.1/", "http://127.0.0.1/ a", "http://127.0.0.1:x/"]
)
def test_a_text_that_is_no_url_is_no_address(url):
    assert not is_address(url)
    assert not is_reachable(url)


def test_the_method_and_body_arrive():
    with receiving() as receiver:
        receiver.statuses = [418, 200]
        assert asyncio.run(status_of("POST", receiver.url, {"id": 1})) == 418
        assert asyncio.run(status_of("GET", receiver.url)) == 200
        assert receiver.calls == [("POST", {"id": 1}), ("GET", None)]


@pytest.mark.parametrize(
    "answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 999 x\r\n", b"x" * 100_000, b"HTTP/1.1 200"], ids=range(5)
)
def test_a_missing_answer_is_no_status(answer):
    async def main():
        async def behave(connection):
            await connection.request()
            await connection.send(answer)
            connection.finish()

        async with serving(behave) as server:
            return await status_of("POST", f"{server.base_url}/x", {})

    assert asyncio.run(main()) is None


def test_more_than_a_status_line_is_not_waited_for():
    async def main():
        async def behave(connection):
            await connection.request()
            await connection.send(http(201, b"", "X: y")[:20])
            await asyncio.sleep(30)

        async with serving(behave) as server:
            return await status_of("GET", f"{server.base_url}/x")

    assert asyncio.run(main()) == 201
