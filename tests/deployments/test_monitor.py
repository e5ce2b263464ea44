"""The monitor over a real socket: alive, ready or not and why, and its figures."""

import json
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest

from deployments.monitor import Monitor, serve
from tasks.alerts.conditions import sync_alerts
from tasks.backup.copies import back_up_nightly
from tasks.monitoring.metrics import metrics_text
from tests.house import tree
from tests.mailboxes import webhook
from tests.servers import free_port
from tests.tasks.workshop import PROFILE, Workshop, blank_ledger, provider, shop

__all__ = ["blank_ledger", "provider", "shop"]


@contextmanager
def answering(monitor: Monitor, *, silent_s: float = 300) -> Iterator[str]:
    with serve(monitor, host="127.0.0.1", port=0, silent_s=silent_s) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def ask(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=300) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_silent_client_keeps_no_thread():
    with answering(Monitor(PROFILE, every_s=60), silent_s=0.2) as url:
        place = urlsplit(url).hostname, urlsplit(url).port
        with socket.create_connection(place, timeout=300) as silent:
            silent.sendall(b"GET /healthz")
            assert silent.recv(1) == b""


def test_it_is_ready_after_a_look_and_not_without_a_ledger(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monitor = Monitor(PROFILE, every_s=60)
    with answering(monitor) as url:
        assert ask(f"{url}/healthz")[0] == 200
        assert ask(f"{url}/readyz")[0] == 503
        monitor.check()
        assert ask(f"{url}/readyz") == (200, json.dumps({"status": "ready", "troubles": {}}))
        status, text = ask(f"{url}/metrics")
        assert (status, "faturista_ledger_lag_seconds 0.0" in text) == (200, True)
        assert ask(f"{url}/elsewhere")[0] == 404
        shop.set(LEDGER__URL="postgresql+psycopg://127.0.0.1:9/x")
        monitor.check()
        status, page = ask(f"{url}/readyz")
        assert (status, json.loads(page)["troubles"]) == (503, {"ledger": "ledger.connection_refused"})
        assert "faturista_ledger_lag_seconds 0.0" in ask(f"{url}/metrics")[1]


def test_a_silent_server_is_a_trouble_and_an_alert(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{free_port()}/api")
    monitor = Monitor(PROFILE, every_s=60)
    monitor.check()
    assert (monitor.last.troubles, monitor.is_ready()) == ({"server": "no answer"}, False)
    assert b'faturista_alerts_open{topic="server"} 1.0' in monitor.last.metrics
    monkeypatch.delenv("PREFECT_API_URL")
    monitor.check()
    assert monitor.is_ready()
    assert b'topic="server"' not in monitor.last.metrics


def test_a_ledger_that_cannot_be_used_is_reported_once(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with webhook() as box:
        shop.set(NOTIFICATIONS__TARGETS=json.dumps({"board": f"plain:json://127.0.0.1:{box.port}/"}))
        shop.set(NOTIFICATIONS__TOPICS=json.dumps({"ledger": ["board"]}))
        monitor = Monitor(PROFILE, every_s=60)
        address = shop.ledger_url
        for _ in range(2):
            shop.set(LEDGER__URL="postgresql+psycopg://127.0.0.1:9/x")
            box.is_broken = True
            monitor.check()
            box.is_broken = False
            monitor.check()
            monitor.check()
            shop.set(LEDGER__URL=address)
            monitor.check()
    assert len(box.received) == 2
    assert "No database server answers" in box.received[0]


class Late(BaseHTTPRequestHandler):
    """A Prefect server with one late run."""

    late = 1

    def do_GET(self) -> None:
        self.answer(b"true")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["flow_runs"]
        assert asked["state"] == {"name": {"any_": ["Late"]}}
        assert datetime.now(UTC) - datetime.fromisoformat(asked["expected_start_time"]["before_"]) > timedelta(
            minutes=4
        )
        self.answer(json.dumps(self.late).encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the library's name


def test_runs_that_no_worker_takes_are_an_alert(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    with HTTPServer(("127.0.0.1", 0), Late) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{server.server_address[1]}/api")
        monitor = Monitor(PROFILE, every_s=60)
        monitor.check()
        assert b'faturista_alerts_open{topic="late"} 1.0' in monitor.last.metrics
        monkeypatch.setattr(Late, "late", 0)
        monitor.check()
        assert b'topic="late"' not in monitor.last.metrics
        server.shutdown()


def test_the_dashboard_shows_figures_that_exist(shop: Workshop):
    shop.processed(1)
    with shop.context() as context:
        back_up_nightly(context)
        sync_alerts(context)
        text = metrics_text(context).decode()
    exist = {line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE ")}
    panels = json.loads(tree.text("deployments/monitoring/grafana.json"))["panels"]
    asked = {
        name for panel in panels for each in panel["targets"] for name in re.findall(r"faturista_\w+", each["expr"])
    }
    assert {name.removesuffix("_bucket").removesuffix("_count") for name in asked} == exist
