"""Run a receiver of webhooks in a thread of the test, and send it deliveries."""

import asyncio
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from deployments.receiver import Receiver
from tasks.webhooks.address import receiver_address
from tests.tasks.workshop import Workshop

PATIENCE_S = 60.0


@contextmanager
def receiving(shop: Workshop, **limits: float) -> Iterator[str]:
    """Run a receiver with these limits in a thread. Yield its address for the provider."""
    with shop.context() as context:
        receiver = Receiver(context, host="127.0.0.1", port=0, **limits)
        thread = threading.Thread(target=lambda: asyncio.run(receiver.run()), daemon=True)
        thread.start()
        shop.set(WEBHOOKS__URL=f"http://127.0.0.1:{receiver.port}")
        try:
            yield address(shop)
        finally:
            receiver.stop()
            thread.join(PATIENCE_S)


def address(shop: Workshop) -> str:
    with shop.context() as context:
        return receiver_address(context).address


def post(url: str, body: Any, **headers: str) -> int:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = urllib.request.Request(url, raw, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def claim(note: int | None) -> dict[str, object]:
    return {"id": note, "from_status": "processing", "to_status": "accepted"}


def until(is_true: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)
