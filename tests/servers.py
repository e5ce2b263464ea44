"""A Prefect server for a test, started as people start it: a process on a free port, with separate files."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

_KEEPER_ID: Final = "keeper.pid"
_START_PATIENCE_S: Final = 600  # The migrations of a first start take a dozen seconds on two idle cores.
_STOP_PATIENCE_S: Final = 60
_PORTS: Final = range(20_000, 32_000)
"""Below the ports that Linux hands out: nobody is given one between our look at it and the start of its server."""

# Runs the server and ends it when this process closes the pipe or dies, in whatever way.
_KEEPER: Final = 'exec 3<&0; "$@" & server=$!; { cat <&3 >/dev/null; kill "$server" 2>/dev/null; } & wait "$server"'


@contextmanager
def running_server(home: Path, settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run a server with only these settings of Prefect. Yield the environment of its clients."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {**settings, "PREFECT_HOME": str(home)}
    log = home / "server.log"
    command = [
        sys.executable,
        "-m",
        "prefect",
        "server",
        "start",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-ui",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", _KEEPER, "sh", *command],
            cwd=home,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    (home / _KEEPER_ID).write_text(str(process.pid))
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}/api", process, log)
        yield environment | {"PREFECT_API_URL": f"http://127.0.0.1:{port}/api"}
    finally:
        _stop(process)


def kill_server(environment: Mapping[str, str]) -> None:
    """Send SIGKILL to the server of these clients, as if the machine died."""
    os.killpg(int(Path(environment["PREFECT_HOME"], _KEEPER_ID).read_text()), signal.SIGKILL)


def free_port() -> int:
    """Return a free port whose successor is free as well: the monitor of `up` takes that one."""
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, socket.socket() as successor:
            try:
                probe.bind(("127.0.0.1", port))
                successor.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def _wait_until_healthy(api: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_PATIENCE_S
    with httpx.Client(timeout=5) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if client.get(f"{api}/health").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.3)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')[-4000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Close the keeper's input, which ends the server; after a minute end the whole process group."""
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(timeout=_STOP_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=_STOP_PATIENCE_S)
