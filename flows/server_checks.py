"""Check what scheduled runs need of a Prefect server: worker, deployments, no late runs, stored concurrency slots."""

import asyncio
import base64
import json
import os
from collections.abc import Iterator, Sequence
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
from flows.server_errors import server_address
from tasks.monitoring.checks import Finding

_PATIENCE_S: Final = 15.0
_POOL: Final = "faturista"
_LOST_FOR: Final = timedelta(days=1)
_IN_MEMORY: Final = "prefect.server.concurrency.lease_storage.memory"


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
    missing = sorted(_declared_deployments() - known)
    detail = (
        words.text("doctor.no_deployments", names=", ".join(missing)) if missing else str(len(_declared_deployments()))
    )
    yield Finding("deployments", not missing, detail)
    late = late_runs()
    yield Finding("late", not late, words.text("doctor.late_runs", count=late) if late else "0")
    lost = crashed_flows()
    yield Finding("lost", not lost, words.text("doctor.lost_runs", flows=", ".join(lost)) if lost else "0")
    storage = _lease_storage(address)
    if storage:
        is_good = storage != _IN_MEMORY
        yield Finding("places", is_good, storage if is_good else words.text("doctor.places_in_memory"))


def _lease_storage(address: str) -> str | None:
    """Return the server's module that stores concurrency slots; None if the server does not show its settings."""
    try:
        return str(_ask(f"{address}/admin/settings")["server"]["concurrency"]["lease_storage"])
    except (TypeError, KeyError):
        return None


def late_runs(*, late_s: float = 0.0) -> int:
    """Return how many runs should have started more than `late_s` seconds ago; 0 without a server's answer."""
    address = server_address()
    if not address:
        return 0
    before = (datetime.now(UTC) - timedelta(seconds=late_s)).isoformat()
    wanted = {"state": {"name": {"any_": ["Late"]}}, "expected_start_time": {"before_": before}}
    found = _ask(f"{address.rstrip('/')}/flow_runs/count", {"flow_runs": wanted})
    return found if isinstance(found, int) else 0


def crashed_flows() -> list[str]:
    """Return our flows whose newest ended run was lost within a day: its process ended before it stored a result.

    So ends a run whose machine died, and every run of a worker without our code or with another version.
    """
    address = server_address().rstrip("/")
    if not address:
        return []
    since = (datetime.now(UTC) - _LOST_FOR).isoformat()
    lost = _ask(f"{address}/flow_runs/filter", _newest_query(["CRASHED"], 200, end_time={"after_": since})) or []
    ids = sorted({run["deployment_id"] for run in lost if run.get("deployment_id")})
    if not ids:
        return []
    found = _ask(f"{address}/deployments/filter", {"deployments": {"id": {"any_": ids}}}) or []
    return sorted(
        each["name"] for each in found if each["name"] in _declared_deployments() and _is_lost(address, each["id"])
    )


def _is_lost(address: str, deployment: str) -> bool:
    ended = {**_newest_query(["COMPLETED", "FAILED", "CRASHED"], 1), "deployments": {"id": {"any_": [deployment]}}}
    return any(run["state_type"] == "CRASHED" for run in _ask(f"{address}/flow_runs/filter", ended) or [])


def _newest_query(states: Sequence[str], limit: int, **more: Any) -> dict[str, Any]:
    return {"flow_runs": {"state": {"type": {"any_": states}}, **more}, "sort": "END_TIME_DESC", "limit": limit}


def _declared_deployments() -> set[str]:
    read = yaml.safe_load(files("deployments").joinpath("prefect.yaml").read_text(encoding="utf-8"))
    return {deployment["name"] for deployment in read["deployments"]}


def _ask(url: str, body: Any = None) -> Any:
    """Return the JSON answer to a POST of `body`, or to a GET without one, with our credentials.

    Return an empty list for a 404, None for any other failure.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    headers = {"Content-Type": "application/json"}
    if pair := os.environ.get("PREFECT_API_AUTH_STRING"):
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    with closing(kind(parts.hostname or "", parts.port, timeout=_PATIENCE_S)) as connection:
        try:
            if body is None:
                connection.request("GET", parts.path, headers=headers)
            else:
                connection.request("POST", parts.path, json.dumps(body), headers)
            answer = connection.getresponse()
            if answer.status == HTTPStatus.NOT_FOUND:
                return []
            return json.loads(answer.read()) if answer.status == HTTPStatus.OK else None
        except (OSError, HTTPException, ValueError):
            return None
