"""Check what a Prefect server needs before scheduled runs work: a worker, deployments, and no late runs."""

import asyncio
import base64
import json
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from configs.catalogue import Catalogue
from configs.load import load_settings
from flows.lost_server import server_address
from tasks.monitoring.checks import Finding

_PATIENCE_S: Final = 15.0
_POOL: Final = "faturista"


async def check_work(profile: str) -> list[Finding]:
    """Ask the server, if one is set, for its worker, its deployments and late runs."""
    address = server_address()
    if not address:
        return []
    words = Catalogue.load(load_settings(profile).language)
    return await asyncio.to_thread(lambda: list(_findings(address.rstrip("/"), words)))


def _findings(address: str, words: Catalogue) -> Iterator[Finding]:
    workers = _ask(f"{address}/work_pools/{_POOL}/workers/filter", {})
    if workers is None:
        # Another finding reports whether the server answers, and to whom.
        return
    online = [worker["name"] for worker in workers if worker.get("status") == "ONLINE"]
    yield Finding("worker", bool(online), ", ".join(online) or words.text("doctor.no_worker"))
    known = {each["name"] for each in _ask(f"{address}/deployments/filter", {}) or []}
    missing = sorted(_declared() - known)
    said = words.text("doctor.no_deployments", names=", ".join(missing)) if missing else str(len(_declared()))
    yield Finding("deployments", not missing, said)
    late = late_runs()
    yield Finding("late", not late, words.text("doctor.late_runs", count=late) if late else "0")


def late_runs(*, late_s: float = 0.0) -> int:
    """Return how many runs should have started more than `late_s` seconds ago; 0 without a server's answer."""
    address = server_address()
    if not address:
        return 0
    before = (datetime.now(UTC) - timedelta(seconds=late_s)).isoformat()
    wanted = {"state": {"name": {"any_": ["Late"]}}, "expected_start_time": {"before_": before}}
    found = _ask(f"{address.rstrip('/')}/flow_runs/count", {"flow_runs": wanted})
    return found if isinstance(found, int) else 0


def _declared() -> set[str]:
    read = yaml.safe_load(files("deployments").joinpath("prefect.yaml").read_text(encoding="utf-8"))
    return {deployment["name"] for deployment in read["deployments"]}


def _ask(url: str, body: Any) -> Any:
    """Return the answer to a request with our credentials, or None if there was none."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    headers = {"Content-Type": "application/json"}
    if pair := os.environ.get("PREFECT_API_AUTH_STRING"):
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    with closing(kind(parts.hostname or "", parts.port, timeout=_PATIENCE_S)) as connection:
        try:
            connection.request("POST", parts.path, json.dumps(body), headers)
            answer = connection.getresponse()
            if answer.status == HTTPStatus.NOT_FOUND:
                return []
            return json.loads(answer.read()) if answer.status == HTTPStatus.OK else None
        except (OSError, HTTPException, ValueError):
            return None
