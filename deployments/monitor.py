"""Send alerts to people, and serve `/metrics` for Prometheus, `/healthz` and `/readyz`.

Run `python -m deployments.monitor --profile NAME`, or `faturista monitor`. It checks every `notifications.every_s`
seconds and answers from the last check, so that frequent requests cost nothing. Several monitors send no alert twice.
"""

import argparse
import json
import logging
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from configs.catalogue import Catalogue
from configs.language import language_of
from configs.logs import configure_logs
from domain.problems import FaturistaError
from flows.server_checks import crashed_flows, late_runs
from tasks.alerts.conditions import sync_alerts
from tasks.alerts.runs import alert_late_runs, alert_lost_runs, alert_silent_server
from tasks.alerts.sending import alert_ledger_unreachable, send_alerts
from tasks.monitoring.metrics import metrics_text
from tasks.runtime import PLAYGROUND, open_context, settings_of

LOG: Final = logging.getLogger("faturista.monitor")
METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
JSON: Final = "application/json"
_LATE_S: Final = 300
"""Delay before a run that did not start on time is reported: the workers are gone, or all of them are busy."""
_SILENT_S: Final = 10.0


@dataclass(slots=True)
class CheckResult:
    """The last check: metrics, and problems by part (server, ledger, monitor). `checked_at`: monotonic seconds."""

    metrics: bytes = b""
    troubles: dict[str, str] = field(default_factory=lambda: {"monitor": "starting"})
    checked_at: float = 0.0


class Monitor:
    """Check a profile's ledger and server, send alerts, and keep the result."""

    def __init__(self, profile: str, *, every_s: float) -> None:
        self._profile = profile
        self._every_s = every_s
        self._is_stopping = threading.Event()
        self._is_reported = False
        self.last = CheckResult()

    def run(self) -> None:
        """Check repeatedly until `stop`."""
        while not self._is_stopping.is_set():
            self.check()
            self._is_stopping.wait(self._every_s)

    def stop(self) -> None:
        """Ask `run` to end. Safe in a signal handler."""
        self._is_stopping.set()

    def check(self) -> None:
        """Check once and send due alerts. `/readyz` shows a failure, which never ends the monitor."""
        troubles: dict[str, str] = {}
        address = os.environ.get("PREFECT_API_URL", "")
        is_up = not address or _answers(f"{address.rstrip('/')}/health")
        if not is_up:
            troubles["server"] = "no answer"
        metrics = self.last.metrics
        try:
            with open_context(self._profile) as context:
                alert_silent_server(context, is_up=is_up)
                if is_up:
                    alert_late_runs(context, are_late=late_runs(late_s=_LATE_S) > 0)
                    alert_lost_runs(context, crashed_flows())
                sync_alerts(context)
                metrics = metrics_text(context)
                send_alerts(context)
            self._is_reported = False
        except FaturistaError as error:
            troubles["ledger"] = error.problem.code
            LOG.warning("the ledger cannot be read", extra={"figures": {"code": error.problem.code}})
            self._alert(error)
        except Exception:
            troubles["monitor"] = "unforeseen"
            LOG.exception("a look failed")
        self.last = CheckResult(metrics, troubles, time.monotonic())

    def _alert(self, error: FaturistaError) -> None:
        """Send a message about a ledger that cannot be used, once until it can be used again."""
        if not self._is_reported:
            # An unreachable target or a missing secret must not stop the monitor.
            with suppress(Exception):
                self._is_reported = alert_ledger_unreachable(self._profile, error.problem)

    def is_ready(self) -> bool:
        """Return whether the last check was recent and found no trouble."""
        return not self.last.troubles and time.monotonic() - self.last.checked_at < 10 * self._every_s


def serve(monitor: Monitor, *, host: str, port: int, silent_s: float = _SILENT_S) -> ThreadingHTTPServer:
    """Return a bound server that answers from the monitor's last check; the caller runs it.

    A connection ends when its client is silent for `silent_s` seconds: each has a thread.
    """

    class Answer(BaseHTTPRequestHandler):
        timeout = silent_s

        def do_GET(self) -> None:
            status, kind, body = _page(monitor, self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the library's name

    return ThreadingHTTPServer((host, port), Answer)


def _page(monitor: Monitor, path: str) -> tuple[HTTPStatus, str, bytes]:
    """Return status, content type and body of the answer for a path."""
    if path == "/metrics":
        return HTTPStatus.OK, METRICS, monitor.last.metrics
    if path == "/healthz":
        return HTTPStatus.OK, JSON, b'{"status": "alive"}'
    if path == "/readyz":
        status = HTTPStatus.OK if monitor.is_ready() else HTTPStatus.SERVICE_UNAVAILABLE
        state = {"status": "ready" if status is HTTPStatus.OK else "not ready", "troubles": monitor.last.troubles}
        return status, JSON, json.dumps(state).encode()
    return HTTPStatus.NOT_FOUND, JSON, b"{}"


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - the server's own address, from the settings
            return bool(answer.status == HTTPStatus.OK)
    except (OSError, urllib.error.URLError, ValueError):
        return False


def watch(profile: str, *, host: str, port: int, stop_on: Callable[[Callable[[], None]], None]) -> None:
    """Run the monitor and its server until stopped. `stop_on` gets the function that stops them.

    Raises `FaturistaError` for invalid settings, `OSError` for a port in use.
    """
    settings = settings_of(profile)
    configure_logs(settings.logs.level)
    monitor = Monitor(profile, every_s=settings.notifications.every_s)
    stop_on(monitor.stop)
    with serve(monitor, host=host, port=port) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            monitor.run()
        finally:
            server.shutdown()


def _on_signals(stop: Callable[[], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop())


def main() -> None:
    """Run the monitor. Exit code 2 for a mistake that the message explains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=PLAYGROUND)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9464)
    asked = parser.parse_args()
    words = Catalogue.load(language_of(asked.profile))
    try:
        watch(asked.profile, host=asked.host, port=asked.port, stop_on=_on_signals)
    except FaturistaError as error:
        print(*words.explain(error), sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    except (OSError, OverflowError):
        print(words.text("monitor.port_taken", port=asked.port), file=sys.stderr)  # noqa: T201
        sys.exit(2)


if __name__ == "__main__":
    main()
