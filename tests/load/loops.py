"""Loops to compare the stations with: they post the same bodies and store nothing."""

import asyncio
import base64
import ssl
from collections.abc import Iterator, Sequence
from typing import Final

import httpx

from connectors.http.auth import BasicToken
from connectors.http.session import HttpSession
from connectors.nfse.client import NfseClient

PATH: Final = "/api/v1/nfse"
HEADERS: Final = httpx.Headers(
    {
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "User-Agent": "bench",
        "Authorization": f"Basic {base64.b64encode(b'sandbox-token:x').decode()}",
        "Content-Type": "application/json",
    }
)


async def post_bare(base_url: str, bodies: Sequence[bytes], in_flight: int) -> None:
    """Post them at the least cost: the session's own lanes, one worker on each, a check of status and bytes.

    No ledger, no parsed answer, no deadline, no trace of the first byte: nobody could bill with it.
    """
    url = httpx.URL(base_url + PATH)
    # Share one: by default each transport would load the system's certificates, for an address without TLS.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
    lanes = [httpx.AsyncHTTPTransport(verify=context, limits=limits) for _ in range(in_flight)]
    waiting = iter(bodies)

    async def work(lane: httpx.AsyncHTTPTransport) -> None:
        for body in waiting:
            answer = await lane.handle_async_request(httpx.Request("POST", url, headers=HEADERS, content=body))
            await answer.aread()
            assert answer.status_code == 201

    try:
        await asyncio.gather(*(work(lane) for lane in lanes))
    finally:
        for lane in lanes:
            await lane.aclose()


async def post_by_client(base_url: str, bodies: Sequence[bytes], in_flight: int) -> None:
    """Post them by our own client: deadline, trace, the answer parsed into a note; still no ledger."""
    async with HttpSession(base_url, BasicToken("sandbox-token"), in_flight=in_flight) as session:
        notes = NfseClient(session).notes

        waiting = iter(bodies)

        async def work() -> None:
            for body in waiting:
                assert (await notes.create(body)).http_status == 201

        await asyncio.gather(*(work() for _ in range(in_flight)))


async def post_stock(base_url: str, bodies: Sequence[bytes], in_flight: int) -> None:
    """Post the bodies with one stock client, as most people do: as many connections as requests in flight."""
    waiting = iter(bodies)
    await _post_by_stock_client(base_url, waiting, in_flight)


async def post_by_small_clients(base_url: str, bodies: Sequence[bytes], in_flight: int) -> None:
    """Post them with several stock clients of eight connections each: one client with more becomes slow."""
    waiting = iter(bodies)
    sizes = [min(8, in_flight - start) for start in range(0, in_flight, 8)]
    await asyncio.gather(*(_post_by_stock_client(base_url, waiting, size) for size in sizes))


async def _post_by_stock_client(base_url: str, waiting: Iterator[bytes], connections: int) -> None:
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx.AsyncClient(
        base_url=base_url, headers=HEADERS, limits=limits, timeout=30, verify=context
    ) as client:

        async def work() -> None:
            for body in waiting:
                assert (await client.post(PATH, content=body)).status_code == 201

        await asyncio.gather(*(work() for _ in range(connections)))
