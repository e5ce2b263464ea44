"""Recognise the errors of an unavailable Prefect server, and word them."""

import os
from typing import Final
from urllib.parse import urlsplit

from domain.problems import FaturistaError, Problem

_PREFECTS_OWN: Final = frozenset({"prefect", "httpx", "httpcore", "websockets"})
"""Packages whose errors come only from Prefect: our own connectors translate them."""


class OrchestratorUnavailable(FaturistaError):
    """Prefect's server does not answer, or cannot work. No work is lost: the ledger has it."""


def server_address() -> str:
    """Return the configured address of Prefect's server, or an empty text."""
    return os.environ.get("PREFECT_API_URL", "")


def is_prefect_error(error: BaseException) -> bool:
    """Return whether an error comes from Prefect or its client, such as `ConnectError`."""
    return type(error).__module__.partition(".")[0] in _PREFECTS_OWN


def unavailable_problem(address: str) -> Problem:
    """Return the problem of a Prefect server that does not answer or cannot work."""
    return Problem("orchestrator.away", params={"address": host_of(address)})


def host_of(address: str) -> str:
    """Return host and port, without a name or password before them."""
    return urlsplit(address).netloc.rpartition("@")[2]
