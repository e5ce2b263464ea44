"""The queue of status changes for webhooks, stored until they are delivered."""

from collections.abc import Callable, Sequence
from typing import Final

from connectors.emulation.resource_table import ResourceTable
from connectors.emulation.state_file import Store

_WEBHOOK_KEYS: Final = {"url": "TEXT"}
# due_at: when to try (again), null when finished; attempts: how many were made; status: of the latest answer
SCHEMA: Final = (
    ResourceTable.schema("webhooks", _WEBHOOK_KEYS)
    + """
CREATE TABLE IF NOT EXISTS webhook_deliveries (
    id INTEGER PRIMARY KEY, webhook_id INTEGER NOT NULL, note_id INTEGER NOT NULL, from_status TEXT NOT NULL,
    to_status TEXT NOT NULL, at REAL NOT NULL, due_at REAL, attempts INTEGER NOT NULL DEFAULT 0, status INTEGER,
    is_held INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS webhook_deliveries_due ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
"""
)
_TELL: Final = (
    "INSERT INTO webhook_deliveries (webhook_id, note_id, from_status, to_status, at, due_at) VALUES (?, ?, ?, ?, ?, 0)"
)


class Outbox:
    """The queue. `webhooks` are the receivers, `webhook_ids` their ids; `wake` wakes the `WebhookSender`.

    `tried` maps the URLs tested for the present registration to whether they answered with 200.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.webhooks = ResourceTable(store, "webhooks", _WEBHOOK_KEYS)
        self.webhook_ids: tuple[int, ...] = ()
        self.tried: dict[str, bool] = {}
        self.wake: Callable[[], None] = lambda: None

    def reload(self) -> None:
        """Read the webhooks from the store again."""
        self.webhooks.forget()
        self.webhook_ids = tuple(webhook["id"] for webhook in self.webhooks.find({}))

    def queue(self, moves: Sequence[tuple[int, str | None, str, float]]) -> None:
        """Queue each change (note, from, to, at) for every webhook. A creation is no change."""
        rows = [
            (webhook, note, was, became, at)
            for note, was, became, at in moves
            if was is not None
            for webhook in self.webhook_ids
        ]
        self._store.run_many(_TELL, rows)
        self.wake()
