"""Batches: open, fill with notes, send or cancel as a whole, read."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from connectors.emulation.dispatcher import Handler
from connectors.emulation.field_tables import check
from connectors.emulation.instants import at
from connectors.emulation.messages import Call, Json, Response, invalid, not_found
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator import city_hall
from connectors.nfse.emulator.links import batch_links
from connectors.nfse.emulator.state import EmulatorState

STATUSES: Final = ("created", "scheduled", "processing", "accepted", "rejected", "cancelled", "cancelling")
# The real provider showed the account's token here; the sandbox masks it [A notes 1.9]
MASKED_TOKEN: Final = "********"  # noqa: S105 - a mask, not a secret


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name; the module `notes` lists the notes of a batch."""
    batches = Batches(world)
    return {
        "batches.create": batches.create,
        "batches.list": batches.find,
        "batches.read": batches.read,
        "batches.send": batches.send,
        "batches.cancel": batches.cancel,
        "batches.history": batches.history,
    }


class Batches:
    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store

    def create(self, call: Call) -> Response:
        clean, errors = check(self._world.tables["batch"], call.payload())
        if "emitter_id" in clean and self._world.emitters.get(clean["emitter_id"]) is None:
            errors["emitter_id"] = ["Emitente não encontrado."]
        if errors:
            raise invalid(errors)
        now = self._world.now()
        batch_id = self._store.run(
            "INSERT INTO batches (emitter_id, name, status, created_at) VALUES (?, ?, 'created', ?)",
            (clean["emitter_id"], clean["name"], now),
        )
        city_hall.change_batch(self._world, batch_id, None, "created", now)
        location = {"Location": f"{call.base}/api/v1/batches/{batch_id}"}
        return Response(201, self._answer_json(call, self._require(batch_id)), location, f"batch {batch_id}")

    def find(self, call: Call) -> Response:
        clauses, values = ["1"], []
        for name in ("status", "emitter_id", "name"):
            if name in call.query:
                clauses.append(f"{name} = ?")
                values.append(call.query[name])
        where = " AND ".join(clauses)
        count = self._store.one(f"SELECT COUNT(*) FROM batches WHERE {where}", values)[0]  # noqa: S608

        def fetch(limit: int, offset: int) -> Any:
            rows = self._store.records(
                f"SELECT * FROM batches WHERE {where} ORDER BY id {order(self._world)} LIMIT ? OFFSET ?",  # noqa: S608
                [*values, limit, offset],
            )
            return [self._answer_json(call, row) for row in rows]

        return envelope_page(call, count, fetch)

    def read(self, call: Call) -> Response:
        batch = self._require(call.id)
        city_hall.count_read(self._world, "batch_id", call.id)
        city_hall.advance(self._world)
        batch = self._require(call.id)
        late = call.fault_of("lagging_counters")
        lag = float(late.get("seconds", 1.0)) if late else 0.0
        return Response(200, self._answer_json(call, batch, lag), subject=f"batch {call.id}")

    def send(self, call: Call) -> Response:
        batch = self._require(call.id)
        self.send_now(batch)
        return Response(202, self._answer_json(call, self._require(call.id)), subject=f"batch {call.id}")

    def send_now(self, batch: Json) -> None:
        """Send every complete note of the batch to its city [A notes 1.4].

        Refuse a sent batch, one without complete notes, and one that exceeds the account's plan.
        """
        if batch["status"] != "created":
            raise invalid({"batch": ["O lote já foi enviado."]})
        notes = self._store.all(
            "SELECT id, status, emitter_id, serie, number FROM notes WHERE batch_id = ? AND deleted_at IS NULL"
            " AND status = 'created' AND is_complete",
            (batch["id"],),
        )
        if not notes:
            raise invalid({"batch": ["O lote não possui notas."]})
        refuse_beyond_quota(self._world, len(notes))
        now = self._world.now()
        city_hall.send(self._world, [city_hall.Rps(*row) for row in notes], now)
        self._store.run("UPDATE batches SET sent_at = ? WHERE id = ?", (now, batch["id"]))
        city_hall.change_batch(self._world, batch["id"], "created", "scheduled", now)

    def cancel(self, call: Call) -> Response:
        batch = self._require(call.id)
        self.cancel_now(batch)
        return Response(202, self._answer_json(call, self._require(call.id)), subject=f"batch {call.id}")

    def cancel_now(self, batch: Json) -> None:
        """Cancel the unsent notes of an unsent batch and set the batch to `scheduled` [A notes 1.5].

        Refuse a sent batch, and one without notes.
        """
        if batch["status"] != "created":
            raise invalid({"batch": ["O lote já foi enviado."]})
        rows = self._store.all(
            "SELECT id FROM notes WHERE batch_id = ? AND deleted_at IS NULL AND status = 'created'", (batch["id"],)
        )
        if not rows:
            raise invalid({"batch": ["O lote não possui notas."]})
        now = self._world.now()
        notes = [row[0] for row in rows]
        city_hall.change_status(self._world, [(note, "created", "cancelling", now) for note in notes])
        city_hall.cancel(self._world, notes, now)
        city_hall.change_batch(self._world, batch["id"], "created", "scheduled", now)

    def history(self, call: Call) -> Response:
        batch = self._require(call.id)
        about = {"batch": {"id": batch["id"], "name": batch["name"]}}
        return history_page(self._world, call, "batch", batch["emitter_id"], about)

    def _require(self, batch_id: int) -> Json:
        rows = self._store.records("SELECT * FROM batches WHERE id = ?", (batch_id,))
        if not rows:
            raise not_found()
        return rows[0]

    def _answer_json(self, call: Call, batch: Json, lag: float = 0.0) -> Json:
        return {
            "id": batch["id"],
            "name": batch["name"],
            "emitter_id": batch["emitter_id"],
            "status": batch["status"],
            "properties": self._counters(batch["id"], lag),
            "_links": batch_links(call.base, batch["id"]),
        }

    def _counters(self, batch_id: int, lag: float) -> dict[str, int]:
        """Count the batch's notes by status, as they were `lag` seconds ago."""
        if lag:
            rows = self._store.all(
                "SELECT status, COUNT(*) FROM (SELECT (SELECT to_status FROM note_history WHERE note_id = notes.id"
                " AND at <= ? ORDER BY id DESC LIMIT 1) AS status FROM notes WHERE batch_id = ? AND deleted_at IS NULL)"
                " WHERE status IS NOT NULL GROUP BY status",
                (self._world.now() - lag, batch_id),
            )
        else:
            rows = self._store.all(
                "SELECT status, COUNT(*) FROM notes WHERE batch_id = ? AND deleted_at IS NULL GROUP BY status",
                (batch_id,),
            )
        counts = dict.fromkeys(STATUSES, 0) | dict(rows)
        return {**counts, "total": sum(counts.values())}


def history_page(
    world: EmulatorState, call: Call, kind: Literal["batch", "note"], emitter_id: int, about: Json
) -> Response:
    """Return a page of status changes, oldest first [A notes 1.9]; `about` names batch or note in each entry."""
    emitter = world.emitters.get(emitter_id) or {}
    whose = {
        "emitter": {"id": emitter_id, "social_reason": emitter.get("social_reason")},
        "account": {"id": world.account.get("id"), "name": world.account.get("name")},
        **about,
    }
    table = f"{kind}_history WHERE {kind}_id = ?"
    count = world.store.one(f"SELECT COUNT(*) FROM {table}", (call.id,))[0]  # noqa: S608 - two fixed names
    token = {"masked": MASKED_TOKEN, "real": world.account.get("token")}[world.switches["history_token"]]

    def fetch(limit: int, offset: int) -> list[Json]:
        rows = world.store.all(
            f"SELECT id, from_status, to_status, at FROM {table} ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608
            (call.id, limit, offset),
        )
        return [
            {**whose, "id": entry, "token": token, "from_status": was, "to_status": became, "date": at(moment)}
            for entry, was, became, moment in rows
        ]

    return envelope_page(call, count, fetch)


def refuse_beyond_quota(world: EmulatorState, more: int) -> None:
    """Refuse `more` notes than the plan still covers; the document does not describe this refusal [A notes 1.36]."""
    if not world.has_quota(more):
        raise invalid({"account": ["O limite de emissões do plano foi atingido."]})


def order(world: EmulatorState) -> str:
    """Return the SQL direction that the switch `list_order` selects. No client may rely on an order of lists."""
    return "DESC" if world.switches["list_order"] == "newest" else "ASC"
