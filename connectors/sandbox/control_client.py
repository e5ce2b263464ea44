"""Control a sandbox on this machine by the requests of `connectors.sandbox.control`."""

import json
from http.client import HTTPConnection
from typing import Any, Final
from urllib.parse import urlsplit

_PATIENCE_S: Final = 60.0
_OK: Final = 200


def steer(base_url: str, verb: str, body: Any) -> Any:
    """Send a command to the sandbox's control API (`POST /_sandbox/{verb}`) and return its JSON answer.

    Raises `OSError` if there is no answer, `ValueError` if it refuses.
    """
    parts = urlsplit(base_url)
    line = HTTPConnection(parts.hostname or "", parts.port, timeout=_PATIENCE_S)
    try:
        line.request("POST", f"/_sandbox/{verb}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        answer = line.getresponse()
        content = json.loads(answer.read())
    finally:
        line.close()
    if answer.status != _OK:
        raise ValueError(content["detail"])
    return content
