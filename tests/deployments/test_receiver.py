"""The receiver over real sockets: honest and hostile deliveries, a locked ledger, a kill, and the provider's own."""

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from datetime import timedelta

import pytest

from connectors.ledger import hints
from connectors.ledger.database.sql import now as ledger_now
from tasks.records.carry_out import Requester
from tasks.stations.reconcile import reconcile_batch
from tasks.webhooks import registration
from tests.connectors.ledger.backup.room import room_for
from tests.deployments.listening import PATIENCE_S, address, claim, post, receiving, until
from tests.house.tree import ROOT
from tests.servers import free_port
from tests.tasks.workshop import PROFILE, Workshop, blank_ledger, provider, shop

__all__ = ["blank_ledger", "provider", "shop"]

SOON = timedelta(minutes=10)
ANA = Requester("ana", "a test")


@pytest.fixture(autouse=True)
def limits(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    shop.set(RECONCILE__LOOKS_S="[3600]", WEBHOOKS__EVERY_S="0.5", WEBHOOKS__WITHIN_S="120", LEDGER__LOCK_WAIT_S="1")


def followed(shop: Workshop, count: int = 3) -> int:
    shop.sandbox.switch(advance="looks", advance_looks=2)
    batch = shop.sent(count)
    shop.run(reconcile_batch, batch)
    return batch


def status(url: str, method: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=PATIENCE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def is_soon(shop: Workshop, batch: int) -> bool:
    return bool(shop.batch(batch).due_at - shop.read(ledger_now) < SOON)


def deliveries(shop: Workshop, outcome: str) -> int:
    counts = shop.read(hints.delivery_counts)
    return counts[outcome][0] if outcome in counts else 0


def test_the_providers_deliveries_bring_the_look_forward(shop: Workshop):
    with receiving(shop):
        for status in ("done", "same"):
            assert asyncio.run(registration.register(PROFILE, ANA)).status == status
        shop.sandbox.switch(advance="seconds", advance_seconds=1.5)
        shop.sandbox.faults(
            {"operation": "webhook", "kind": "webhook_double", "after": 1},
            {"operation": "webhook", "kind": "webhook_reorder", "after": 3},
        )
        batch = shop.sent(4)
        shop.run(reconcile_batch, batch)
        until(lambda: shop.read(hints.count_hints) == 4)
        until(lambda: shop.batch(batch).due_at <= shop.read(ledger_now))
        shop.run(reconcile_batch, batch)
        assert shop.batch(batch).state == "processed"
        asyncio.run(registration.remove(PROFILE, ANA))
        assert shop.asked("webhooks.create", "webhooks.delete") == 2


def test_a_test_of_the_provider_arrives_and_leaves_nothing(shop: Workshop):
    with receiving(shop):
        for _ in range(2):
            plan, has_arrived = asyncio.run(registration.try_out(PROFILE, ANA, patience_s=PATIENCE_S))
            assert (plan.status, has_arrived) == ("done", True)
    assert shop.asked("webhooks.create") == shop.asked("webhooks.delete") == 2
    refused, has_arrived = asyncio.run(registration.try_out(PROFILE, ANA, patience_s=0))
    assert (refused.status, has_arrived) == ("refused", False)


def test_only_the_secret_path_answers(shop: Workshop):
    with receiving(shop) as url:
        assert [status(url, method) for method in ("GET", "HEAD", "DELETE", "PUT")] == [200, 200, 405, 405]
        behind_proxy = url.replace("/sandbox-", "/somewhere/else/sandbox-")
        assert [post(each, {}) for each in (url, behind_proxy, url[:-1], url + "/", url + "x")] == [
            200, 200, 404, 404, 404,
        ]  # fmt: skip


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 9_000, b"\xff" * 9, b'{"id": 1e999, "to_status": "accepted"}', b"null"]
)
def test_any_body_is_answered_and_none_changes_a_state(shop: Workshop, body: bytes):
    with receiving(shop) as url:
        assert post(url, body) == 200
        until(lambda: deliveries(shop, "unreadable") == 1)
    assert shop.read(hints.count_hints) == 0


def test_a_long_body_is_refused_unread(shop: Workshop):
    with receiving(shop) as url:
        host, port = url.split("/")[2].split(":")
        for head in ("Content-Length: 10000000", "Transfer-Encoding: chunked"):
            with closing(socket.create_connection((host, int(port)), PATIENCE_S)) as wire:
                path = url.split(port, 1)[1]
                wire.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
                if "chunked" in head:
                    wire.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
                assert wire.recv(12) == b"HTTP/1.1 413"
        until(lambda: deliveries(shop, "too_long") == 2)
        assert post(url, claim(1)) == 200


def test_a_flood_of_forgeries_moves_no_state_and_few_looks(shop: Workshop):
    shop.set(WEBHOOKS__MOST_WAITING="50", WEBHOOKS__EVERY_S="300")
    batch = followed(shop)
    before = shop.notes(batch)
    with receiving(shop) as url:
        flood = [claim(note) for note in range(10**6, 10**6 + 400)]
        real = [claim(note.remote_id) for note in before]
        for each in (*real, *flood, *real):
            assert post(url, each) == 200
        until(lambda: deliveries(shop, "new") >= 3)
        until(lambda: deliveries(shop, "unknown") + deliveries(shop, "overflow") >= 400)
        assert (shop.read(hints.count_hints), shop.notes(batch)) == (3, before)
        wait_s = (shop.batch(batch).due_at - shop.read(ledger_now)).total_seconds()
        assert 200 < wait_s <= 300


def test_a_locked_ledger_delays_hints_and_no_answer(shop: Workshop):
    batch = followed(shop)
    with (
        receiving(shop) as url,
        closing(sqlite3.connect(shop.ledger_url.removeprefix("sqlite:///"), isolation_level=None)) as lock,
    ):
        lock.execute("BEGIN IMMEDIATE")
        for note in shop.notes(batch):
            assert post(url, claim(note.remote_id)) == 200
        time.sleep(2)
        assert not is_soon(shop, batch)
        lock.execute("ROLLBACK")
        until(lambda: is_soon(shop, batch))


def test_a_full_disk_delays_hints_and_no_answer(shop: Workshop):
    batch = followed(shop)
    with receiving(shop) as url:
        with closing(sqlite3.connect(shop.ledger_url.removeprefix("sqlite:///"))) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with room_for(4_000):
            for note in shop.notes(batch):
                assert post(url, claim(note.remote_id)) == 200
            time.sleep(1.5)
            assert not is_soon(shop, batch)
        until(lambda: is_soon(shop, batch))


def test_a_killed_receiver_loses_time_only(shop: Workshop):
    batch = followed(shop)
    port = free_port()
    shop.set(WEBHOOKS__URL=f"http://127.0.0.1:{port}", WEBHOOKS__PORT=port)
    url = address(shop)
    command = [sys.executable, "-m", "deployments.receiver"]

    def started() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ.copy(), stderr=subprocess.DEVNULL)
        until(lambda: process.poll() is None and answers(url))
        return process

    first, *others = shop.notes(batch)
    process = started()
    assert post(url, claim(first.remote_id)) == 200
    process.kill()
    process.wait(PATIENCE_S)
    process = started()
    for note in others:
        assert post(url, claim(note.remote_id)) == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    assert is_soon(shop, batch)
    shop.follow(batch)
    assert set(shop.states(batch)) == {"accepted"}


def answers(url: str) -> bool:
    try:
        return status(url, "GET") == 200
    except OSError:
        return False
