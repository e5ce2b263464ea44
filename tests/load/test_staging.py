"""The bench of staging works: each loop and the station post every note, and the ratio decides."""

import asyncio
import json
from pathlib import Path

import pytest

from connectors.http.auth import BasicToken
from connectors.http.session import HttpSession
from connectors.nfse.client import NfseClient
from tests.ledgers import sqlite_url
from tests.load import staging, stations, workload
from tests.load.responder import running_responder


@pytest.fixture(scope="module")
def responder():
    with running_responder() as address:
        yield f"{address}/0"


async def posted(base_url: str, batch_id: int) -> int:
    """Return the number of notes that the responder counted in a batch."""
    async with HttpSession(base_url, BasicToken("x")) as session:
        return (await NfseClient(session).batches.read(batch_id)).counters.created


@pytest.mark.parametrize("name", staging.LOOPS)
def test_each_loop_posts_every_body_once(responder, name):
    batch_id = 1_000 + list(staging.LOOPS).index(name)
    bodies = [body.replace(b'"batch_id":1,', b'"batch_id":%d,' % batch_id) for body in workload.bodies(20)]
    asyncio.run(staging.LOOPS[name](responder, bodies, 3))
    assert asyncio.run(posted(responder, batch_id)) == 20


def test_the_station_stages_what_was_planned(responder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    staged = stations.stage(sqlite_url(tmp_path), responder, "test", count=7, batch_size=4, in_flight=3)
    assert min(asyncio.run(staged)) > 0


def test_the_bodies_are_whole_requests():
    first, second = (json.loads(body) for body in workload.bodies(2))
    assert (first["number"], second["number"]) == (1, 2)
    assert {"batch_id", "serie", "emission_date", "taker_id", "service_values"} <= first.keys()


def times_of(in_flight: int) -> staging.Times:
    times = staging.Times(staging.Size(notes=1_000, in_flight=in_flight, rounds=1))
    for latency_ms in staging.LATENCIES_MS:
        for name in (*staging.LOOPS, *staging.DATABASES):
            times.spent[latency_ms, name].append((1.0, 0.5))
    return times


def test_rows_judge_by_speed_and_by_cpu():
    times = times_of(32)
    times.spent[staging.SLOW_MS, "SQLite"] = [(1.0, 0.8)]
    times.spent[staging.SLOW_MS, "PostgreSQL"] = [(1.2, 0.6)]
    times.spent[staging.AT_ONCE_MS, "PostgreSQL"] = [(9.0, 1.0)]
    rows = list(staging.judged(times))
    judged = [(row.name, row.is_met) for row in rows if row.target]
    assert judged == [("P1", True), ("P1", False), ("P1", False), ("P1", True)]
    assert "+300 µs for ledger" in rows[2].remarks[1]


def test_only_the_stock_client_is_judged_at_64_in_flight():
    times = times_of(64)
    times.spent[staging.SLOW_MS, staging.STOCK] = [(6.0, 6.0)]
    times.spent[staging.SLOW_MS, "PostgreSQL"] = [(2.0, 1.0)]
    rows = list(staging.judged_wide(times))
    assert [(row.name, row.is_met) for row in rows if row.target] == [("P2", True), ("P2", False)]
    assert [row.name for row in rows if not row.target] == ["", ""]
