"""The doctor's findings about a Prefect server, over a real socket."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import yaml

from flows.server_checks import check_work
from tests.house import tree
from tests.servers import free_port

NAMES = [each["name"] for each in yaml.safe_load(tree.text("deployments/prefect.yaml"))["deployments"]]


@contextmanager
def server(answers: dict[str, Any], key: str = "") -> Iterator[str]:
    """Run an API with these answers by the end of the path, for requests with the key; 404 for any other path."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            found = next((each for path, each in answers.items() if self.path.endswith(path)), None)
            is_known = not key or self.headers.get("Authorization") == key
            self.send_response((404 if found is None else 200) if is_known else 401)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the library's name

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}/api"
        finally:
            running.shutdown()


def stored_in(module: str) -> dict[str, Any]:
    return {"server": {"concurrency": {"lease_storage": module}}}


def checked(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any], key: str = "") -> dict[str, tuple[bool, str]]:
    monkeypatch.setenv("FATURISTA_LANGUAGE", "en")
    with server(answers, key) as address:
        monkeypatch.setenv("PREFECT_API_URL", address)
        return {each.what: (each.is_good, each.detail) for each in asyncio.run(check_work("local"))}


def test_a_worker_all_deployments_and_nothing_late_are_well(monkeypatch: pytest.MonkeyPatch):
    answers = {
        "/workers/filter": [{"name": "w-1", "status": "ONLINE"}, {"name": "w-0", "status": "OFFLINE"}],
        "/deployments/filter": [{"name": name} for name in NAMES],
        "/flow_runs/count": 0,
        "/flow_runs/filter": [],
        "/admin/settings": stored_in("prefect.server.concurrency.lease_storage.filesystem"),
    }
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "a:b")
    seen = checked(monkeypatch, answers, key="Basic YTpi")
    places = "prefect.server.concurrency.lease_storage.filesystem"
    well = {"worker": "w-1", "deployments": str(len(NAMES)), "late": "0", "lost": "0", "places": places}
    assert seen == {what: (True, detail) for what, detail in well.items()}
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "a:c")
    assert checked(monkeypatch, answers, key="Basic YTpi") == {}


def test_a_bare_servers_gaps_are_reported(monkeypatch: pytest.MonkeyPatch):
    found = [{"name": name} for name in NAMES[1:]]
    settings = stored_in("prefect.server.concurrency.lease_storage.memory")
    seen = checked(monkeypatch, {"/deployments/filter": found, "/flow_runs/count": 3, "/admin/settings": settings})
    assert [what for what, (is_good, _) in seen.items() if is_good] == ["lost"]
    assert seen["deployments"][1] == "missing are bill_services: faturista bootstrap"
    assert seen["late"][1].startswith("3 runs are late")
    assert "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE" in seen["places"][1]
    assert "places" not in checked(monkeypatch, {"/deployments/filter": found})


def test_without_a_server_there_is_no_finding(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert asyncio.run(check_work("local")) == []
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{free_port()}/api")
    assert asyncio.run(check_work("local")) == []
