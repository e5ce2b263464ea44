"""Start the sandbox provider for a test: a real process on a free port, or the same server in a thread."""

import base64
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from connectors.sandbox import prepare

TOKEN = "sandbox-token"
ROOT = Path(__file__).parent.parent
_PATIENCE_S = 300.0


class RunningSandbox:
    """The address of a sandbox, and its controls."""

    def __init__(self, base_url: str, process: subprocess.Popen[bytes] | None = None) -> None:
        self.base_url, self.process = base_url, process
        self.changes = 0
        """How many requests of a test may have changed anything."""

    def control(self, verb: str, body: Any = None) -> Any:
        """Send a control verb of `connectors.sandbox`: with a body a POST, `reset` too, else a GET."""
        if body is None and verb != "reset":
            return self._ask("GET", f"/_sandbox/{verb}")
        return self._ask("POST", f"/_sandbox/{verb}", {} if body is None else body)

    def switch(self, **switches: Any) -> Any:
        return self.control("switches", switches)

    def faults(self, *rules: dict[str, Any]) -> Any:
        return self.control("faults", list(rules))

    def record(self, *, requests: bool = False, history: bool = False) -> Any:
        """Return the full content of the providers, every part of each list."""
        flags = f"requests={int(requests)}&history={int(history)}"
        whole = part = self.control(f"record?{flags}")
        while part["next"] is not None:
            part = self.control(f"record?{flags}&first={part['next']}")
            whole |= {name: whole[name] + rows if isinstance(rows, list) else rows for name, rows in part.items()}
        return whole

    def requests(self) -> dict[str, int]:
        """How many requests the providers have seen, by operation, without all that they hold."""
        counts: dict[str, int] = self.control("requests")
        return counts

    def settle(self, arrives_s: float = 0.0) -> None:
        """Wait until the sandbox has done all earlier requests: its one loop reads them before this one.

        `arrives_s`: how long a request may stay on its way.
        """
        time.sleep(arrives_s)
        for _ in range(3):
            self.control("switches")

    def call(self, method: str, path: str, body: Any = None, *, token: str = TOKEN) -> tuple[int, Any, dict[str, str]]:
        """Send one API request by plain means. Return status, JSON (or None) and lower-case headers."""
        basic = base64.b64encode(f"{token}:x".encode()).decode()
        return self._exchange(method, path, body, {"Authorization": f"Basic {basic}"})

    def kill(self) -> None:
        """Send SIGKILL, as if the machine died."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        status, answer, _ = self._exchange(method, path, body, {})
        assert status == 200, f"{method} {path}: {status} {answer}"
        return answer

    def _exchange(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        url = path if path.startswith("http") else self.base_url + path
        self.changes += method != "GET" or not path.startswith("/_sandbox/")
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(url, raw, {"Content-Type": "application/json", **headers}, method=method)
        try:
            with _OPENER.open(asked, timeout=_PATIENCE_S) as answer:
                return answer.status, _json(answer.read()), {k.lower(): v for k, v in answer.headers.items()}
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, _json(refused.read()), {k.lower(): v for k, v in refused.headers.items()}


RIO, SAO_PAULO = 1, 2
"""Emitter ids of the sandbox's default company."""


def note_body(number: int | None, *, emitter: int = RIO, batch: int | None = None, **changes: Any) -> dict[str, Any]:
    """Return a complete, acceptable note; `changes` overwrite its keys, those of `service_values` one by one."""
    values = {
        "service_amount": "1000.00",
        "iss_percentage": "5.00",
        "service_item_code": "1701" if emitter == RIO else "03115",
        "description": "Consultoria",
        **({"city_tax_code": "170101"} if emitter == RIO else {}),
        **changes.pop("service_values", {}),
    }
    body = {"emitter_id": emitter, "serie": "F", "emission_date": "2026-11-20T10:00:00-03:00", "service_values": values}
    return body | {"competence": "2026-11-01", "number": number, "batch_id": batch} | changes


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))


def _json(raw: bytes) -> Any:
    return json.loads(raw) if raw else None


@contextmanager
def running_sandbox(
    *, state: Path | None = None, port: int = 0, in_thread: bool = False, **switches: Any
) -> Iterator[RunningSandbox]:
    """Run a sandbox and stop it at the end. With `state` it can be started again as the same provider.

    `in_thread` starts no process: faster, but it shares this process's processor and cannot be killed.
    """
    start = _in_thread if in_thread else _as_process
    with start(state, port, switches) as sandbox:
        yield sandbox


@contextmanager
def _in_thread(state: Path | None, port: int, switches: dict[str, Any]) -> Iterator[RunningSandbox]:
    server = prepare(port=port, state=state, switches=switches)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield RunningSandbox(f"http://127.0.0.1:{server.port}")
    finally:
        server.stop()
        thread.join(_PATIENCE_S)


@contextmanager
def _as_process(state: Path | None, port: int, switches: dict[str, Any]) -> Iterator[RunningSandbox]:
    with TemporaryDirectory() as folder:
        port_file = Path(folder, "port")
        command = [sys.executable, "-m", "connectors.sandbox", "--port", str(port), "--port-file", str(port_file)]
        command += ["--state", str(state)] if state else []
        command += [part for name, value in switches.items() for part in ("--switch", f"{name}={value}")]
        process = subprocess.Popen(command, cwd=ROOT)
        try:
            yield RunningSandbox(f"http://127.0.0.1:{_port(process, port_file)}", process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(_PATIENCE_S)


def _port(process: subprocess.Popen[bytes], port_file: Path) -> int:
    end = time.monotonic() + _PATIENCE_S
    while not port_file.exists():
        assert process.poll() is None, "the sandbox ended at its start"
        assert time.monotonic() < end, "the sandbox does not start"
        time.sleep(0.01)
    return int(port_file.read_text())
