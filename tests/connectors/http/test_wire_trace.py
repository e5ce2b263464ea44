"""When a request left us: known from the transport's events, with an injected clock that ticks at each reading."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.http.errors import Doubtful
from connectors.http.wire_trace import Expired, Trace, Wire, utc_now
from tests.connectors.http.sockets import Connection, serving, session_to

START = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Ticks:
    """A clock that advances one minute with each reading."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return START + timedelta(minutes=self.looks)


def minute(n):
    return START + timedelta(minutes=n)


def traced(*events):
    async def main():
        trace = Trace(Ticks())
        for event in events:
            await trace(event, {})
        return trace

    return asyncio.run(main())


CONNECTED = ("connection.connect_tcp.started", "connection.connect_tcp.complete", "connection.start_tls.started")
BEGUN = (*CONNECTED, "http11.send_request_headers.started")
BODY_EVENTS = ("http11.send_request_headers.started", "http11.send_request_body.started")
WRITTEN = (*BEGUN, "http11.send_request_headers.complete", "http11.send_request_body.complete")


def test_connecting_is_not_sending():
    assert traced(*CONNECTED).wire(earlier=2) == Wire(requests=2)


@pytest.mark.parametrize("events", [BEGUN, WRITTEN])
def test_a_request_may_leave_until_the_call_ends(events):
    """Bytes may wait in a buffer until the connection is closed, even those that were handed over."""
    wire = traced(*events).wire(earlier=1)
    assert wire == Wire(first_byte_at=minute(1), last_byte_at=minute(2), requests=2)
    assert wire.was_begun


def test_a_request_that_has_begun_is_listened_to_no_longer():
    async def main():
        trace, extensions = Trace(Ticks()), dict[str, Any]()
        trace.listen(extensions)
        heard = []
        for event in WRITTEN:
            heard.append("trace" in extensions)
            await trace(event, {})
        return heard

    assert asyncio.run(main()) == [True] * len(BEGUN) + [False] * 2


@pytest.mark.parametrize("too_late_at", BODY_EVENTS)
def test_each_write_asks_for_the_deadline(too_late_at):
    asked: list[str] = []

    async def main():
        trace = Trace(Ticks(), lambda: asked[-1] == too_late_at, has_body=True)
        trace.listen({})
        for event in BODY_EVENTS:
            asked.append(event)
            await trace(event, {})

    with pytest.raises(Expired):
        asyncio.run(main())
    assert asked[-1] == too_late_at


def test_the_session_measures_with_the_clock_it_was_given():
    async def main():
        async def behave(connection: Connection) -> None:
            await connection.request()
            if len(server.requests) == 1:
                await connection.answer(201)

        async with serving(behave) as server, session_to(server.base_url, clock=Ticks()) as session:
            answer = await session.write("POST", "/x", b"{}", expect=frozenset({201}))
            with pytest.raises(Doubtful) as caught:
                await session.write("POST", "/x", b"{}", expect=frozenset({201}))
            return answer.wire, caught.value.wire

    answered, doubtful = asyncio.run(main())
    instants = [instant for wire in (answered, doubtful) for instant in (wire.first_byte_at, wire.last_byte_at)]
    assert instants == sorted(set(instants))
    assert START < instants[0] < instants[-1] < minute(60)


def test_the_clock_that_is_used_by_default_is_aware():
    assert utc_now().utcoffset() == timedelta(0)
