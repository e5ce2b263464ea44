"""Run a real S3 server on this machine, from a separate environment."""

import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from tests.clients.environments import python_of
from tests.servers import free_port

_PATIENCE_S: Final = 120
KEY: Final = "testing"


@contextmanager
def running_bucket(name: str) -> Iterator[str]:
    """Yield the address of a server with one empty bucket. Skip the test if the server is not installed."""
    python = python_of("object_store")
    if python is None:
        pytest.skip("the server that speaks S3 is not installed here")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [str(python), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + _PATIENCE_S
        while not _has_bucket(address, name):
            assert server.poll() is None
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)
        yield address
    finally:
        server.kill()
        server.wait()


def _has_bucket(address: str, name: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{address}/{name}", method="PUT"), timeout=20):
            return True
    except urllib.error.URLError:
        return False
