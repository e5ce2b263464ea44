"""The session over real sockets: lanes, limits, credentials, and retries."""

import asyncio
import gzip
import json
import time

import pytest

from connectors.http.bodies import MAX_ANSWER_BYTES
from connectors.http.errors import Busy, ConnectorError, Doubtful, TooLate
from connectors.http.retry import Patience
from connectors.http.steady import steady_s
from tests.connectors.http.sockets import TOKEN, Connection, answering, http, serving, session_to

CREATED = frozenset({201})

_GIVEN_UP_S = 0.1


def write(session, **more):
    return session.write("POST", "/api/v1/nfse", b'{"number":1}', expect=CREATED, **more)


def exchange(behave, ask, **settings):
    """Run `ask(session)` against `behave`. Return the result (or its exception) and the server."""

    async def main():
        async with serving(behave) as server, session_to(server.base_url, **settings) as session:
            return await ask(session), server, session

    return asyncio.run(main())


def says(*answers):
    """Return a behaviour that sends these raw answers in turn, on any connection, and repeats the last one."""
    left = list(answers)

    async def behave(connection: Connection) -> None:
        while True:
            await connection.request()
            await connection.send(left.pop(0) if len(left) > 1 else left[0])

    return behave


def test_a_request_has_the_expected_line_headers_and_body():
    answer, server, _ = exchange(says(http(201, b'{"id":1}', "X-Thing: y")), write)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().lower().split("\r\n")
    assert first == "post /api/v1/nfse http/1.1"
    host = server.base_url.removeprefix("http://")
    assert {"accept: application/json", "content-type: application/json", "content-length: 12"} <= set(lines)
    assert "cache-control: no-cache" in lines
    assert [line for line in lines if line.startswith("host:")] == [f"host: {host}"]
    assert any(line.startswith("authorization: basic ") for line in lines)
    assert body == b'{"number":1}'
    assert answer.data == {"id": 1}
    assert answer.headers["x-thing"] == "y"


def test_each_body_is_sent_with_its_own_length():
    async def ask(session):
        for body in (b"{}", b'{"a":1}', b"", b"[]"):
            await session.write("POST", "/x", body, expect=CREATED)

    _, server, _ = exchange(says(http(201)), ask)
    parts = [request.lower().partition(b"\r\n\r\n") for request in server.requests]
    found = [int(head.partition(b"content-length: ")[2].split(b"\r\n")[0]) for head, _, _ in parts]
    assert [(length, body) for length, (_, _, body) in zip(found, parts, strict=True)] == [
        (2, b"{}"), (7, b'{"a":1}'), (0, b""), (2, b"[]")
    ]  # fmt: skip


def test_an_answer_may_come_compressed():
    packed = gzip.compress(b'{"id":1}')
    answer, _, _ = exchange(says(http(201, packed, "Content-Encoding: gzip")), write)
    assert answer.data == {"id": 1}


def test_a_write_without_a_body_says_its_length():
    _, server, _ = exchange(
        says(http(202)), lambda session: session.write("POST", "/x/send", None, expect=frozenset({202}))
    )
    assert b"\r\ncontent-length: 0\r\n" in server.requests[0].lower()


def test_queries_are_encoded():
    _, server, _ = exchange(
        says(http(200)), lambda session: session.read("GET", "/x", {"name": "Consultoria & Cia +1", "page": 2})
    )
    assert server.requests[0].startswith(b"GET /x?name=Consultoria+%26+Cia+%2B1&page=2 ")


def test_429_turned_a_write_away_so_it_is_sent_again():
    answer, server, session = exchange(says(http(429), http(429, b"", "Retry-After: 0"), http(201)), write)
    assert answer.status == 201
    assert len(server.requests) == session.requests == answer.wire.requests == 3


def test_endless_429s_are_reported_after_the_last_try():
    async def ask(session):
        with pytest.raises(Busy) as caught:
            await write(session)
        return caught.value

    error, server, _ = exchange(says(http(429)), ask)
    assert len(server.requests) == error.wire.requests == 4


def test_a_wait_longer_than_our_patience_is_left_to_the_caller():
    async def ask(session):
        with pytest.raises(Busy) as caught:
            await write(session)
        return caught.value.retry_after

    seconds, server, _ = exchange(says(http(429, b"{}", "Retry-After: 3600")), ask)
    assert seconds == 3600.0
    assert len(server.requests) == 1


def test_no_write_begins_after_its_last_instant():
    async def ask(session):
        with pytest.raises(TooLate):
            await write(session, not_after=steady_s() - 0.001)
        return await write(session, not_after=steady_s() + 60)

    _, server, session = exchange(says(http(201)), ask)
    assert len(server.requests) == session.requests == 1


def test_waiting_for_a_slot_counts_towards_the_last_instant():
    """A write that waited behind a slow one must check the clock when its turn comes, not when it queued."""

    async def slow(connection: Connection) -> None:
        while True:
            await connection.request()
            await asyncio.sleep(0.3)
            await connection.answer(201)

    async def ask(session):
        first = asyncio.create_task(write(session))
        await asyncio.sleep(0)
        with pytest.raises(TooLate):
            await write(session, not_after=steady_s() + 0.1)
        return await first

    _, server, _ = exchange(slow, ask, in_flight=1)
    assert len(server.requests) == 1


@pytest.mark.parametrize("is_warm", [True, False])
def test_a_request_timed_out_at_any_step_spares_the_connection(is_warm):
    """The loop stops past the timeout: answer and timeout are there together, at any step."""

    async def answers(connection: Connection) -> None:
        while True:
            await connection.request()
            await connection.answer(200)

    async def ask(session):
        for step in range(16):
            if is_warm:
                await session.read("GET", "/warm")
            given_up = asyncio.create_task(session.read("GET", "/given-up"))
            for _ in range(step):
                await asyncio.sleep(0)
            time.sleep(_GIVEN_UP_S * 1.2)
            await asyncio.gather(given_up, return_exceptions=True)
            assert (await session.read("GET", "/next")).status == 200, step

    patience = Patience(tries=50, first_wait_s=0.0)
    exchange(answers, ask, in_flight=1, request_timeout_s=_GIVEN_UP_S, patience=patience)


def test_a_process_frozen_before_the_first_byte_writes_nothing():
    """The process freezes after its check of the deadline; here the event loop stops while it connects."""

    async def ask(session):
        asyncio.get_running_loop().call_soon(time.sleep, 0.3)
        with pytest.raises(TooLate) as caught:
            await write(session, not_after=steady_s() + 0.2)
        assert not caught.value.wire.was_begun
        return await write(session, not_after=steady_s() + 60)

    _, server, session = exchange(says(http(201)), ask)
    assert len(server.requests) == session.requests == 1


def test_no_wait_leads_past_the_last_instant():
    async def ask(session):
        with pytest.raises(Busy):
            await write(session, not_after=steady_s() + 20)

    _, server, _ = exchange(says(http(429, b"{}", "Retry-After: 29")), ask)
    assert len(server.requests) == 1


def test_a_redirect_is_never_followed():
    async def ask(session):
        with pytest.raises(ConnectorError) as caught:
            await session.read("GET", "/api/v1/nfse/1/pdf")
        return caught.value.status

    status, server, _ = exchange(says(http(302, b"", "Location: /elsewhere")), ask)
    assert status == 302
    assert len(server.requests) == 1


def test_an_expected_redirect_is_returned_not_followed():
    answer, server, _ = exchange(
        says(http(302, b"", "Location: /elsewhere")),
        lambda session: session.read("GET", "/api/v1/nfse/1/pdf", expect=frozenset({302})),
    )
    assert (answer.status, answer.headers["location"]) == (302, "/elsewhere")
    assert len(server.requests) == 1


def test_no_proxy_is_taken_from_the_environment(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    answer, _, _ = exchange(says(http(201)), write)
    assert answer.status == 201


def test_cookies_are_not_kept():
    async def ask(session):
        await session.read("GET", "/x")
        await session.read("GET", "/x")

    _, server, _ = exchange(says(http(200, b"{}", "Set-Cookie: a=b")), ask)
    assert all(b"cookie" not in request.lower() for request in server.requests)


def test_the_limit_in_flight_holds_and_connections_are_kept():
    running = most = 0

    async def behave(connection: Connection) -> None:
        nonlocal running, most
        while True:
            await connection.request()
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.005)
            running -= 1
            await connection.answer(201)

    async def ask(session):
        await asyncio.gather(*(write(session) for _ in range(120)))
        return len(session._lanes)

    lanes, server, session = exchange(behave, ask, in_flight=12, lane_size=5)
    assert lanes == 3
    assert most == 12
    assert len(server.connections) == 12
    assert len(server.requests) == session.requests == 120


def test_a_surplus_answer_does_not_count_as_the_answer_of_a_delete():
    deleted = http(204)

    async def behave(connection: Connection) -> None:
        while request := await connection.request():
            await connection.send(http(200) + deleted if request.startswith(b"GET") else http(409))

    async def ask(session):
        await session.read("GET", "/api/v1/nfse/7")
        with pytest.raises(ConnectorError) as caught:
            await session.write("DELETE", "/api/v1/nfse/7", None, expect=frozenset({204}))
        return caught.value.status

    status, server, _ = exchange(behave, ask)
    assert status == 409
    assert [request[:6] for request in server.requests] == [b"GET /a", b"DELETE"]


def test_a_slow_or_failed_call_gives_its_slot_back():
    async def behave(connection: Connection) -> None:
        if b"bad" in await connection.request():
            return
        await connection.answer(201)

    async def ask(session):
        for _ in range(5):
            with pytest.raises(Doubtful):
                await session.write("POST", "/bad", b"{}", expect=CREATED)
        return (await write(session)).status

    status, _, _ = exchange(behave, ask, in_flight=1)
    assert status == 201


def test_an_answer_has_a_ceiling():
    size = MAX_ANSWER_BYTES + 1

    async def ask(session):
        with pytest.raises(Doubtful) as caught:
            await write(session)
        return caught.value.detail

    detail, _, _ = exchange(says(http(201, b" " * size)), ask)
    assert "larger" in detail


def test_json_nested_beyond_reason_is_no_answer():
    async def ask(session):
        with pytest.raises(Doubtful):
            await write(session)

    exchange(says(http(201, b"[" * 200_000)), ask)


def test_errors_contain_no_secret():
    async def ask(session):
        with pytest.raises(ConnectorError) as caught:
            await write(session)
        return caught.value

    error, server, _ = exchange(says(http(422, json.dumps({"detail": "CPF 000.000.001-91"}).encode())), ask)
    sent = server.requests[0].decode()
    credential = next(line for line in sent.split("\r\n") if line.lower().startswith("authorization"))[21:]
    for text in (str(error), repr(error), repr(vars(error))):
        assert TOKEN not in text
        assert credential not in text
        assert "000.000.001-91" not in text


def test_a_session_may_be_opened_again():
    async def main():
        async with serving(answering) as server:
            session = session_to(server.base_url)
            for _ in range(2):
                async with session:
                    await session.read("GET", "/api/v1")
            return session.requests

    assert asyncio.run(main()) == 2
