"""Deliver every change of a note's status to every webhook, concurrently with the requests.

The transaction that changes a status also stores its deliveries, so they survive a restart. After an answer of the 30x,
40x or 50x family, or none, three more attempts follow (document 000, Events).
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple

from connectors.emulation.messages import Json
from connectors.nfse.emulator.state import EmulatorState
from connectors.nfse.emulator.webhook_loopback import status_of

FURTHER_ATTEMPTS: Final = 3
_AT_ONCE: Final = 100
_LONGEST_WAIT_S: Final = 0.5
_HELD_S: Final = 2.0
_KEPT: Final = 20_000
_SWEEP: Final = _KEPT // 10
_DUE: Final = (
    "SELECT id, webhook_id, note_id, from_status, to_status, attempts, is_held FROM webhook_deliveries"
    " WHERE due_at <= ? ORDER BY due_at, id LIMIT ?"
)
_EARLIEST: Final = (
    "SELECT MIN(due_at) FROM (SELECT MIN(due_at) AS due_at FROM webhook_deliveries WHERE due_at IS NOT NULL"
    " UNION ALL SELECT MIN(due_at) FROM notes WHERE due_at IS NOT NULL)"
)


class _Delivery(NamedTuple):
    id: int
    webhook_id: int
    note_id: int
    from_status: str
    to_status: str
    attempts: int
    is_held: int


class WebhookSender:
    """Sends the deliveries of all webhooks from one task, which runs while a webhook exists.

    The deliveries of one webhook are sequential, in the order of the changes; webhooks do not wait for one another. The
    task also calls `advance` when something is due by the emulator's clock, because there may be no request that would
    call it.
    """

    def __init__(self, world: EmulatorState, advance: Callable[[], None]) -> None:
        self._world, self._advance = world, advance
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        world.outbox.wake = self._news.set

    def begin(self) -> None:
        """Start the task if a webhook exists and the task does not run yet. Call it in the server's event loop."""
        if self._world.outbox.webhook_ids and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._world.outbox.webhook_ids:
            self._news.clear()
            with self._world.store.transaction():
                self._advance()
                rounds = self._taken()
            if rounds:
                await asyncio.gather(*(self._visit(rows) for rows in rounds))
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), self._wait())

    def _wait(self) -> float | None:
        """Return the seconds until a delivery is due, or None if only a new event can cause one.

        The result is limited, because a person may set the clock ahead meanwhile.
        """
        earliest = self._world.store.one(_EARLIEST)[0]
        return None if earliest is None else min(_LONGEST_WAIT_S, max(0.0, earliest - self._world.now()))

    def _taken(self) -> list[list[tuple[_Delivery, int]]]:
        """Return due deliveries by webhook, and how often to send each. Scripted faults apply once to a delivery."""
        store, now = self._world.store, self._world.now()
        found: defaultdict[int, list[tuple[_Delivery, int]]] = defaultdict(list)
        for due in map(_Delivery._make, store.all(_DUE, (now, _AT_ONCE))):
            fault = None if due.attempts or due.is_held else self._world.faults.choose("webhook")
            kind = fault["kind"] if fault else None
            if kind == "webhook_drop":
                store.run("UPDATE webhook_deliveries SET due_at = NULL WHERE id = ?", (due.id,))
            elif kind == "webhook_reorder":
                # hold it back until this webhook's next delivery is made, or until a time limit
                held = "UPDATE webhook_deliveries SET due_at = ?, is_held = 1 WHERE id = ?"
                store.run(held, (now + _HELD_S, due.id))
            else:
                found[due.webhook_id].append((due, 2 if kind == "webhook_double" else 1))
        return list(found.values())

    async def _visit(self, rows: list[tuple[_Delivery, int]]) -> None:
        for due, times in rows:
            webhook = self._world.outbox.webhooks.get(due.webhook_id)
            if webhook is None:
                return
            status = None
            for _ in range(times):
                status = await status_of("POST", webhook["url"], _body(webhook, due))
            with self._world.store.transaction():
                self._settle(due, status)

    def _settle(self, due: _Delivery, status: int | None) -> None:
        store, now = self._world.store, self._world.now()
        is_over = (status is not None and status < 300) or due.attempts >= FURTHER_ATTEMPTS
        again = None if is_over else now + self._world.switches["webhook_retry_seconds"]
        store.run(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, status = ?, due_at = ? WHERE id = ?",
            (status, again, due.id),
        )
        store.run(
            "UPDATE webhook_deliveries SET due_at = 0 WHERE webhook_id = ? AND is_held AND due_at > ?",
            (due.webhook_id, now),
        )
        if due.id % _SWEEP == 0:
            store.run("DELETE FROM webhook_deliveries WHERE id <= ? AND due_at IS NULL", (due.id - _KEPT,))


def _body(webhook: Json, due: _Delivery) -> Json:
    """Return the body of a delivery. Its `_links` is one object, not a list (document 000, Events)."""
    note = f"{webhook['base']}/api/v1/nfse/{due.note_id}"
    return {
        "_links": {"rel": "self", "method": "GET", "url": note},
        "id": due.note_id,
        "from_status": due.from_status,
        "to_status": due.to_status,
    }
