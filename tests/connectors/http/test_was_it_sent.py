"""What a failed call may have done at the provider: the table on which everything else depends.

Every line is a real socket. A write of which a byte may have left is never repeated and never called "not sent".
"""

import asyncio
import contextlib
import socket
import ssl

import pytest

from connectors.http.errors import Broken, Busy, Disturbed, Doubtful, Refused, Unreachable
from connectors.http.retry import Patience
from tests.connectors.http import sockets
from tests.connectors.http.sockets import Connection, NoNamesLoop, http, serving, session_to

BODY = b'{"serie":"F","number":7}'
MADE = b'{"id":1,"status":"created"}'
CREATED = frozenset({201})
# Long enough for a busy machine to answer, short enough to wait for: these lines end by the client's own timeout.
SHORT = 1.0
TWICE = Patience(tries=2, first_wait_s=0.0)


def run(main):
    with asyncio.Runner(loop_factory=NoNamesLoop) as runner:
        return runner.run(main)


def write(session, **more):
    return session.write("POST", "/api/v1/nfse", BODY, expect=CREATED, **more)


# --- nothing was sent -------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def refused_port():
    with socket.socket() as bound:  # Bound, never listening.
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}", None


@contextlib.asynccontextmanager
async def unknown_name():
    yield "http://nowhere.invalid", None


@contextlib.asynccontextmanager
async def connect_stalls():
    """Yield a listener that accepts nobody and whose queue is full: further connections wait."""
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield f"http://127.0.0.1:{full.getsockname()[1]}", None


@contextlib.asynccontextmanager
async def spoken_to_as_tls(behave):
    async with serving(behave) as server:
        yield server.base_url.replace("http:", "https:"), server


async def closes(connection: Connection) -> None:
    await connection.reader.read(1)


async def speaks_plainly(connection: Connection) -> None:
    await connection.reader.read(1)
    await connection.send(http(400))


async def says_nothing(connection: Connection) -> None:
    await connection.hang()


@contextlib.asynccontextmanager
async def no_common_cipher():
    async with serving(sockets.answering, tls=sockets.tls_without_certificates(is_server=True)) as server:
        yield server.base_url, server


NOT_SENT = {
    "port refused": refused_port,
    "name unknown": unknown_name,
    "connecting stalls": connect_stalls,
    "TLS: no agreement": no_common_cipher,
    "TLS: closed in the handshake": lambda: spoken_to_as_tls(closes),
    "TLS: the server does not speak it": lambda: spoken_to_as_tls(speaks_plainly),
    "TLS: the handshake stalls": lambda: spoken_to_as_tls(says_nothing),
}


@pytest.mark.parametrize("situation", NOT_SENT)
def test_a_batch_proved_unsent_may_be_sent_again(situation):
    async def main():
        async with NOT_SENT[situation]() as (url, server):
            context = ssl.create_default_context()
            async with session_to(url, request_timeout_s=SHORT, ssl_context=context, patience=TWICE) as session:
                with pytest.raises(Unreachable) as caught:
                    await write(session)
                assert session.requests == 0
        return caught.value.wire, server

    wire, server = run(main())
    assert (wire.first_byte_at, wire.last_byte_at, wire.requests) == (None, None, 0)
    assert server is None or not server.requests


# --- a byte was written, and then ... ----------------------------------------------------------------------------


async def fin_before_reading(connection: Connection) -> None:
    connection.finish()


async def reset_before_reading(connection: Connection) -> None:
    connection.reset()


async def reset_while_reading(connection: Connection) -> None:
    await connection.reader.readexactly(40)
    connection.reset()


async def fin_after_reading(connection: Connection) -> None:
    await connection.request()


async def reset_after_reading(connection: Connection) -> None:
    await connection.request()
    connection.reset()


async def hang_after_reading(connection: Connection) -> None:
    await connection.request()
    await connection.hang()


def says(raw: bytes, *, then_hang: bool = False):
    async def behave(connection: Connection) -> None:
        await connection.request()
        await connection.send(raw)
        if then_hang:
            await connection.hang()

    return behave


WHOLE = http(201, MADE)
CHUNKED = b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n"

UNKNOWN = {
    "FIN after reading all": fin_after_reading,
    "RST after reading all": reset_after_reading,
    "RST after reading a part": reset_while_reading,
    "silence": hang_after_reading,
    "half a status line": says(b"HTTP/1.1 2"),
    "half a head": says(WHOLE[:30]),
    "half a head, then silence": says(WHOLE[:30], then_hang=True),
    "truncated 201": says(WHOLE[:-5]),
    "truncated 201, then silence": says(WHOLE[:-5], then_hang=True),
    "201 with an open end, truncated": says(b"HTTP/1.1 201 X\r\n\r\n" + MADE[:-5]),
    "201 in chunks, truncated": says(CHUNKED + b"5\r\n" + MADE[:5] + b"\r\n"),
    "201 in malformed chunks": says(CHUNKED + b"five\r\n" + MADE[:5] + b"\r\n"),
    "not HTTP": says(b"SSH-2.0-nobody\r\n\r\n"),
    "a head that is no head": says(b"HTTP/1.1 201 X\r\nno colon here\r\n\r\n"),
    "a head without end": says(b"HTTP/1.1 201 X\r\nX-Filler: " + b"x" * 300_000),
    "bad gzip": says(http(201, b"not gzip at all", "Content-Encoding: gzip")),
    "201 that is not JSON": says(http(201, b"<html>created</html>")),
    "201 without a body": says(http(201, b"")),
    "500": says(http(500, b'{"detail":"x"}')),
    "502 of a proxy": says(http(502, b"<html>Bad gateway</html>")),
    "503 with Retry-After": says(http(503, b"{}", "Retry-After: 0")),
    "504 of a proxy": says(http(504, b"")),
    "408": says(http(408, b"")),
    "truncated 422": says(http(422, b'{"serie":["x"]}')[:-3]),
}
ENDED_BY_US = {"silence", "half a head, then silence", "truncated 201, then silence"}


def on_the_second_request(behave):
    """Cause the same failure on a connection that has served one request; a later connection fails at once."""

    async def first_well(connection: Connection) -> None:
        await connection.request()
        await connection.answer(201, MADE)
        await behave(connection)

    return first_well


@pytest.mark.parametrize("is_reused", [False, True], ids=["fresh", "reused"])
@pytest.mark.parametrize("situation", UNKNOWN)
def test_a_write_after_its_first_byte_is_in_doubt(situation, is_reused):
    async def main():
        behave = UNKNOWN[situation]
        async with serving(on_the_second_request(behave) if is_reused else behave) as server:
            timeout = SHORT if situation in ENDED_BY_US else 20.0
            async with session_to(server.base_url, in_flight=1, request_timeout_s=timeout) as session:
                if is_reused:
                    await write(session)
                with pytest.raises(Doubtful) as caught:
                    await write(session)
                return caught.value, server, session.requests

    error, server, requests = run(main())
    assert error.wire.first_byte_at <= error.wire.last_byte_at
    assert error.wire.requests == 1
    assert requests == 1 + is_reused
    assert len(server.connections) == 1
    assert len(server.requests) <= 1 + is_reused


@pytest.mark.parametrize("behave", [fin_before_reading, reset_before_reading])
def test_a_connection_lost_at_accept_is_a_doubt_all_the_same(behave):
    """Nothing arrived, but we cannot know that: the kernel had our bytes."""

    async def main():
        async with serving(behave) as server, session_to(server.base_url) as session:
            with pytest.raises(Doubtful) as caught:
                await write(session)
            return caught.value.wire, len(server.connections)

    wire, connections = run(main())
    assert wire.was_begun
    assert connections == 1


@pytest.mark.parametrize("behave", [fin_after_reading, reset_after_reading, fin_before_reading])
def test_a_lost_answer_inside_tls_is_doubtful(behave):
    async def main():
        tls = sockets.tls_without_certificates(is_server=True)
        async with serving(behave, tls=tls) as server:
            context = sockets.tls_without_certificates(is_server=False)
            async with session_to(server.base_url, ssl_context=context) as session:
                with pytest.raises(Doubtful) as caught:
                    await write(session)
                return caught.value.wire.was_begun, len(server.connections)

    assert run(main()) == (True, 1)


@pytest.mark.parametrize("leave", [Connection.finish, Connection.reset])
def test_a_closed_connection_is_noticed_and_a_write_sent_once(leave):
    async def main():
        async def one_answer_each(connection: Connection) -> None:
            await connection.request()
            await connection.answer(201, MADE)
            leave(connection)
            gone.set()

        gone = asyncio.Event()
        async with serving(one_answer_each) as server, session_to(server.base_url, in_flight=1) as session:
            await write(session)
            await gone.wait()
            await asyncio.sleep(0.05)  # The FIN is on its way through the kernel.
            answer = await write(session)
            return answer, server, session.requests

    answer, server, requests = run(main())
    assert answer.wire.requests == 1
    assert requests == 2
    assert [len(connection.requests) for connection in server.connections] == [1, 1]


def test_a_cancelled_request_is_not_repeated_and_frees_its_slot():
    async def main():
        began = asyncio.Event()

        async def hang_once(connection: Connection) -> None:
            await connection.request()
            if not began.is_set():
                began.set()
                await connection.hang()
            await connection.answer(201, MADE)

        async with serving(hang_once) as server, session_to(server.base_url, in_flight=1) as session:
            task = asyncio.create_task(write(session))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert session.requests == 1
            await write(session)
            return len(server.requests), session.requests

    assert run(main()) == (2, 2)


def test_an_answered_request_ends_with_its_body():
    async def main():
        async with serving(says(WHOLE)) as server, session_to(server.base_url) as session:
            return (await write(session)).wire

    wire = run(main())
    assert wire.first_byte_at <= wire.last_byte_at
    assert wire.first_byte_at.utcoffset().total_seconds() == 0
    assert wire.requests == 1


# --- the same for reads: asking again harms nobody ----------------------------------------------------------------

READ_AGAIN = {name: behave for name, behave in UNKNOWN.items() if name not in {"truncated 422"} | ENDED_BY_US}


@pytest.mark.parametrize("situation", sorted(READ_AGAIN))
def test_a_read_is_repeated_and_ends_broken(situation):
    async def main():
        # A read is answered 200: the same failure under the status that it expects.
        async with serving(READ_AGAIN[situation]) as server, session_to(server.base_url) as session:
            with pytest.raises((Broken, Busy)) as caught:
                await session.read("GET", "/api/v1/batches/1")
            return caught.value, server, session.requests

    error, server, requests = run(main())
    assert error.wire.requests == requests == len(server.connections) == sockets.EAGER.tries


def test_a_read_that_works_at_last_is_answered():
    async def main():
        async def third_time(connection: Connection) -> None:
            await connection.request()
            if len(server.requests) == 3:
                await connection.answer(200, b'{"id":5}')

        async with serving(third_time) as server, session_to(server.base_url) as session:
            answer = await session.read("GET", "/api/v1/batches/5")
            return answer.data, answer.wire.requests, session.requests

    assert run(main()) == ({"id": 5}, 3, 3)


# --- answers that are answers -------------------------------------------------------------------------------------

REFUSALS = {
    "about the row": (http(422, b'{"service_values":{"description":["too long"]}}'), Refused),
    "about the number": (http(422, b'{"number":["taken"]}'), Disturbed),
    "404": (http(404, b'{"detail":"Not found"}'), Disturbed),
    "200 instead of 201": (http(200, MADE), Disturbed),
}


@pytest.mark.parametrize("situation", REFUSALS)
def test_a_whole_answer_is_no_doubt(situation):
    raw, kind = REFUSALS[situation]

    async def main():
        async with serving(says(raw)) as server, session_to(server.base_url) as session:
            with pytest.raises(kind) as caught:
                await write(session)
            return caught.value, len(server.requests)

    error, requests = run(main())
    assert type(error) is kind
    assert requests == 1
    assert error.wire.was_begun
