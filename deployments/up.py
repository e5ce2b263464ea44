"""Run everything on one machine: sandbox (local profile), Prefect's server, deployments, worker, monitor, receiver.

Run `python -m deployments.up --profile NAME`, or `faturista up`. The schedules take dropped files, follow sent batches
and copy the ledger each night; this process keeps the others alive and does no other work.
"""

import argparse
import fcntl
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from configs.catalogue import Catalogue
from configs.language import language_of
from configs.settings import Settings
from deployments.processes import NotReady, Program, Supervisor
from domain.problems import FaturistaError, Problem
from tasks.runtime import PLAYGROUND, open_context

_RUNS_AT_ONCE: Final = 4
_BOOTSTRAP_PATIENCE_S: Final = 300.0


class CannotStart(FaturistaError):
    """One of the processes does not start, or another process uses its folder or port."""


def up(profile: str, *, port: int) -> None:
    """Start all processes, and keep them running until SIGINT or SIGTERM. Raises `FaturistaError`."""
    with open_context(profile) as context:
        settings, words = context.settings, context.catalogue
        for folder in (settings.paths.inbox, settings.paths.outbox):
            Path(folder).mkdir(parents=True, exist_ok=True)
    home = Path(settings.paths.home).resolve()
    environment = _environment(home, port, profile)
    # Prefect's worker would make its folder in the machine's temporary folder, where another user may own that name
    temporary = TemporaryDirectory(prefix="faturista-", ignore_cleanup_errors=True)
    with _lock_folder(home), temporary as environment["TMPDIR"], (home / "faturista.log").open("ab") as log:
        _check_ports(settings, port)
        supervisor = Supervisor(log, lambda event, name: _say(words, f"up.{event}", name=name))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: supervisor.stop())
        try:
            for program in _programs(settings, home, port, environment):
                supervisor.start(program)
                if program.name == "server":
                    _bootstrap(profile, environment)
            _say(words, "up.ready", url=_url(port), inbox=settings.paths.inbox, outbox=settings.paths.outbox)
            _say(words, "up.monitor", url=_url(port + 1))
            if settings.webhooks.url:
                _say(words, "up.webhooks", url=settings.webhooks.url)
            _say(words, "up.log", path=str(home / "faturista.log"))
            supervisor.watch()
        except NotReady as error:
            params = {"name": error.name, "log": str(home / "faturista.log")}
            raise CannotStart(Problem("up.not_ready", params=params)) from error
        finally:
            supervisor.close()
            _say(words, "up.stopped")


def _programs(settings: Settings, home: Path, port: int, environment: dict[str, str]) -> Iterator[Program]:
    python = sys.executable
    provider = urlsplit(settings.nfse.base_url)
    if settings.name == PLAYGROUND and not _answers(f"{settings.nfse.base_url}/_sandbox/"):
        command = [
            python,
            "-m",
            "connectors.sandbox",
            "--port",
            str(provider.port),
            "--state",
            str(home / "sandbox.db"),
        ]
        yield Program(name="sandbox", command=command, is_ready=lambda: _answers(f"{settings.nfse.base_url}/_sandbox/"))
    yield Program(
        name="server",
        command=[python, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
        environment=environment,
        is_ready=lambda: _answers(f"{_url(port)}/api/health"),
        patience_s=300.0,
    )
    worker = ["worker", "start", "--pool", "faturista", "--type", "process", "--limit", str(_RUNS_AT_ONCE)]
    yield Program(name="worker", command=[python, "-m", "prefect", *worker], environment=environment)
    watching = [python, "-m", "deployments.monitor", "--profile", settings.name, "--port", str(port + 1)]
    yield Program(
        name="monitor",
        command=watching,
        environment=environment,
        is_ready=lambda: _answers(f"{_url(port + 1)}/healthz"),
    )
    if settings.webhooks.url:
        receiver = [python, "-m", "deployments.receiver", "--profile", settings.name]
        yield Program(name="receiver", command=receiver, environment=environment)


def _bootstrap(profile: str, environment: dict[str, str]) -> None:
    """Register in a separate process: Prefect reads its settings only on import."""
    command = [sys.executable, "-m", "deployments.bootstrap", "--profile", profile]
    try:
        subprocess.run(  # noqa: S603 - a command of ours, no shell
            command,
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
            timeout=_BOOTSTRAP_PATIENCE_S,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        lines = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        params = {"reason": lines[-1][:200] if lines else "?"}
        raise CannotStart(Problem("up.not_registered", params=params)) from error


def _environment(home: Path, port: int, profile: str) -> dict[str, str]:
    """Return the shipped settings of server and worker; a variable set by the operator takes precedence."""
    lines = files("deployments").joinpath("server.env").read_text(encoding="utf-8").splitlines()
    shipped = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    mine = {"PREFECT_HOME": str(home / "prefect"), "PREFECT_API_URL": f"{_url(port)}/api", "FATURISTA_PROFILE": profile}
    return {name: os.environ.get(name, value) for name, value in {**shipped, **mine}.items()}


@contextmanager
def _lock_folder(home: Path) -> Iterator[None]:
    """Refuse a second `up` in the same folder: two servers would share one database."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotStart(Problem("up.already_running", params={"folder": str(home)})) from error
        yield


def _check_ports(settings: Settings, port: int) -> None:
    """Refuse a port that is in use: a server that answers there would get our deployments and runs."""
    ports = {"server": ("127.0.0.1", port), "monitor": ("127.0.0.1", port + 1)}
    if settings.webhooks.url:
        ports["receiver"] = (settings.webhooks.host, settings.webhooks.port)
    for name, address in ports.items():
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        with socket.socket(family) as probe:
            # without this option, connections that ended a minute ago would refuse the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                reason = error.strerror or str(error)
                problem = Problem("up.port_taken", params={"name": name, "port": address[1], "reason": reason})
                raise CannotStart(problem) from error


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - an http address of ours on loopback
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _say(words: Catalogue, code: str, **params: str) -> None:
    print(words.text(code, **params), flush=True)  # noqa: T201


def main() -> None:
    """Run everything. Exit code 2 for a mistake that the message explains, 3 for a process that does not start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=PLAYGROUND)
    parser.add_argument("--port", type=int, default=4200)
    asked = parser.parse_args()
    try:
        up(asked.profile, port=asked.port)
    except FaturistaError as error:
        print(*Catalogue.load(language_of(asked.profile)).explain(error), sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(3 if isinstance(error, CannotStart) else 2)


if __name__ == "__main__":
    main()
