"""The sandbox, as good as new for each test."""

from collections.abc import Iterator

import pytest

from tests.connectors.nfse.receivers import Receiver, receiving
from tests.sandboxes import RIO, RunningSandbox, note_body


class Provider(RunningSandbox):
    """The sandbox with the usual first steps of tests."""

    def post_note(self, number, **changes):
        """Return status and body of a posted note."""
        return self.call("POST", "/api/v1/nfse", note_body(number, **changes))[:2]

    def open_batch(self, emitter=RIO, name="Lote"):
        status, batch, _ = self.call("POST", "/api/v1/batches", {"emitter_id": emitter, "name": name})
        assert status == 201
        return batch["id"]

    def filled_batch(self, count, emitter=RIO):
        batch = self.open_batch(emitter)
        for number in range(1, count + 1):
            assert self.post_note(number, emitter=emitter, batch=batch)[0] == 201
        return batch

    def get(self, path):
        """Return the body of a successful GET below /api/v1."""
        status, body, _ = self.call("GET", f"/api/v1/{path}")
        assert status == 200, body
        return body

    def post(self, path, body=None):
        """Return status and body of a POST below /api/v1."""
        return self.call("POST", f"/api/v1/{path}", {} if body is None else body)[:2]

    def violations(self):
        return [violation["kind"] for violation in self.record()["violations"]]


@pytest.fixture
def provider(sandbox: RunningSandbox) -> Provider:
    sandbox.switch(advance="at_once")
    return Provider(sandbox.base_url)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as somebody:
        yield somebody
