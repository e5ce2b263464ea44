"""Which errors mean that Prefect's server was lost, and how that is said."""

import os
from typing import Final
from urllib.parse import urlsplit

from domain.problems import FaturistaError, Problem

_PREFECTS_OWN: Final = frozenset({"prefect", "httpx", "httpcore", "websockets"})
"""Packages whose errors reach a command from Prefect alone: our own connectors let none of them out."""


class OrchestratorAway(FaturistaError):
    """Prefect's server does not answer, or cannot work. What the stations did is in the ledger all the same."""


def server_address() -> str:
    """Return where Prefect's server is said to be, or an empty text."""
    return os.environ.get("PREFECT_API_URL", "")


def is_prefects_own(error: BaseException) -> bool:
    """Say whether an error comes from Prefect or its client, such as `ConnectError`."""
    return type(error).__module__.partition(".")[0] in _PREFECTS_OWN


def away(address: str) -> Problem:
    """Return the problem of a Prefect server that does not answer or cannot work."""
    return Problem("orchestrator.away", params={"address": host_of(address)})


def host_of(address: str) -> str:
    """Return host and port, without a name or password before them."""
    return urlsplit(address).netloc.rpartition("@")[2]
