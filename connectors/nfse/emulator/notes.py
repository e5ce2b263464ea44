"""Notes (NFSe): post into a batch or issue at once, read, list, delete, cancel."""

import json
from collections.abc import Mapping
from typing import Any, Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response, invalid, not_found
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator import city_hall
from connectors.nfse.emulator.batches import history_page, order, refuse_beyond_quota
from connectors.nfse.emulator.note_answers import NoteAnswers, Parts
from connectors.nfse.emulator.note_checks import CheckedNote, check_note, is_id, judge_number, number_of
from connectors.nfse.emulator.note_documents import address_of
from connectors.nfse.emulator.state import EmulatorState

_LIST_FILTERS: Final[Mapping[str, str]] = {
    "status": "status = ?",
    "emitter_id": "emitter_id = ?",
    "number": "number = ?",
    "serie": "serie = ?",
    "nfse_number": "nfse_number = ?",
    "nfse_key": "nfse_key = ?",
    "emission_date_gte": "json_extract(body, '$.emission_date') >= ?",
    "emission_date_lte": "json_extract(body, '$.emission_date') <= ?",
    "taker_cnpj": "json_extract(taker, '$.cnpj') = ?",
    "taker_cpf": "json_extract(taker, '$.cpf') = ?",
    "taker_social_reason": "json_extract(taker, '$.social_reason') = ?",
    "batch_id": "batch_id = ?",
    **{
        f"{amount}{ending}": f"CAST(json_extract(service_values, '$.{amount}') AS REAL) {sign} CAST(? AS REAL)"
        for amount in ("service_amount", "nfse_liquid_amount")
        for ending, sign in (("", "="), ("_gte", ">="), ("_lte", "<="))
    },
}
_HTML_404: Final = "text/html"


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name, the list of a batch's notes included."""
    notes = Notes(world)
    return {
        "notes.create": notes.create,
        "notes.list": notes.find,
        "notes.read": notes.read,
        "notes.replace": notes.replace,
        "notes.update": notes.update,
        "notes.delete": notes.delete,
        "notes.status": notes.status,
        "notes.cancel": notes.cancel,
        "notes.history": notes.history,
        "notes.mirror": notes.mirror,
        "notes.xml": notes.xml,
        "notes.pdf": notes.pdf,
        "batches.notes": notes.of_batch,
    }


class Notes:
    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store
        self._answers = NoteAnswers(world)

    def create(self, call: Call) -> Response:
        payload = call.payload()
        checked = check_note(self._world, payload)
        note_id, status = self.add(checked, payload.get("batch_id"))
        location = {"Location": f"{call.base}/api/v1/nfse/{note_id}"}
        parts = Parts(checked.body, checked.taker, checked.service_values)
        body = self._answers.whole(call.base, self._require(note_id), parts)
        if status == 202:
            body["status"] = self._world.switches["lone_status"]
        return Response(status, body, location, f"note {note_id} {body['serie']}/{body['number']}")

    def add(self, checked: CheckedNote, asked_batch: Any) -> tuple[int, int]:
        """Store a note. Return its id and the status of the answer.

        In a batch the note waits (201). A complete note without a batch is issued at once and answers `processing`,
        with its whole history written (202) [A notes 1.1, 1.2]. A switch decides whether a note that joins a sent batch
        is sent at once [A notes 1.4].
        """
        now = self._world.now()
        batch = self._batch(asked_batch, checked.emitter)
        if batch is None and checked.is_complete:
            refuse_beyond_quota(self._world, 1)
        number = number_of(self._world, checked)
        judge_number(self._world, checked, number)
        note_id = self._insert(checked, number, batch, asked_batch, now)
        city_hall.write_history(self._world, [(note_id, None, "created", now)])
        rps = city_hall.Rps(note_id, "created", checked.emitter["id"], checked.serie, number)
        if not checked.is_complete:
            return note_id, 201
        if batch is None:
            city_hall.send(self._world, [rps], now)
            city_hall.change_status(self._world, [(note_id, "scheduled", "processing", now)])
            self._store.run("UPDATE notes SET due_at = final_at WHERE id = ?", (note_id,))
            return note_id, 202
        if batch["status"] != "created":
            self._store.violate(now, "attached_after_send", note_id=note_id, batch_id=batch["id"])
            if self._world.switches["attach_after_send"] == "scheduled":
                city_hall.send(self._world, [rps], now)
        return note_id, 201

    def read(self, call: Call) -> Response:
        self._require(call.id)
        city_hall.count_read(self._world, "id", call.id)
        city_hall.advance(self._world)
        return Response(200, self._answers.whole(call.base, self._require(call.id)), subject=f"note {call.id}")

    def find(self, call: Call) -> Response:
        clauses, values = ["deleted_at IS NULL"], []
        for name, clause in _LIST_FILTERS.items():
            if name in call.query:
                clauses.append(clause)
                values.append(call.query[name])
        if "is_complete" in call.query:
            clauses.append("is_complete = ?")
            values.append(str(int(call.query["is_complete"].lower() == "true")))
        return self._page(call, " AND ".join(clauses), values)

    def of_batch(self, call: Call) -> Response:
        if self._store.one("SELECT 1 FROM batches WHERE id = ?", (call.id,)) is None:
            raise not_found()
        where, values = "batch_id = ? AND deleted_at IS NULL", [str(call.id)]
        if "status" in call.query:
            where += " AND status = ?"
            values.append(call.query["status"])
        return self._page(call, where, values)

    def replace(self, call: Call) -> Response:
        return self._complete(call, is_put=True)

    def update(self, call: Call) -> Response:
        return self._complete(call, is_put=False)

    def _complete(self, call: Call, *, is_put: bool) -> Response:
        """Apply PUT or PATCH to an incomplete note. Issue a completed one, or leave it in its batch [A notes 1.3].

        Keep its emitter, whatever the request says [A notes 1.20].
        """
        note = self._require(call.id)
        if note["is_complete"]:
            raise Refusal(405, {"detail": "Method not allowed."})
        asked = call.payload()
        payload = {**(asked if is_put else _as_asked(note, asked)), "emitter_id": note["emitter_id"]}
        checked = check_note(self._world, {**payload, "allow_incomplete": not is_put})
        if checked.is_complete and note["batch_id"] is None:
            refuse_beyond_quota(self._world, 1)
        now = self._world.now()
        number = number_of(self._world, checked) if checked.is_complete else checked.number
        if checked.is_complete:
            judge_number(self._world, checked, number, besides=call.id)
        self._store.run(
            "UPDATE notes SET serie = ?, number = ?, is_complete = ?, digest = ?, taker_id = ?, taker = ?,"
            " service_values = ?, body = ? WHERE id = ?",
            (*_columns(checked, number), call.id),
        )
        if checked.is_complete and note["batch_id"] is None:
            city_hall.send(
                self._world, [city_hall.Rps(call.id, "created", note["emitter_id"], checked.serie, number)], now
            )
        return Response(200, self._answers.whole(call.base, self._require(call.id)))

    def delete(self, call: Call) -> Response:
        self.delete_now(self._require(call.id))
        return Response(204, subject=f"note {call.id}")

    def delete_now(self, note: Json) -> None:
        """Delete a note in status created; refuse any later status [A notes 1.6]. The row stays, with `deleted_at`."""
        if note["status"] != "created":
            raise invalid({"rps": ["A nota já foi enviada e não pode ser excluída."]})
        self._store.run("UPDATE notes SET deleted_at = ? WHERE id = ?", (self._world.now(), note["id"]))

    def cancel(self, call: Call) -> Response:
        """Cancel a note. The answer is the status resource [A notes 1.7]."""
        note = self._require(call.id)
        self.cancel_now(note)
        return Response(202, self._answers.status(call.base, self._require(call.id)), subject=f"note {call.id}")

    def cancel_now(self, note: Json) -> None:
        if note["status"] != "accepted":
            raise invalid({"rps": ["A nota ainda não foi processada."]})
        now = self._world.now()
        city_hall.change_status(self._world, [(note["id"], "accepted", "cancelling", now)])
        city_hall.cancel(self._world, [note["id"]], now)

    def status(self, call: Call) -> Response:
        self._require(call.id)
        city_hall.count_read(self._world, "id", call.id)
        city_hall.advance(self._world)
        return Response(200, self._answers.status(call.base, self._require(call.id)), subject=f"note {call.id}")

    def history(self, call: Call) -> Response:
        note = self._require(call.id)
        about = {"rps": {"id": note["id"], "number": note["number"]}}
        return history_page(self._world, call, "note", note["emitter_id"], about)

    def mirror(self, call: Call) -> Response:
        return self._document(call, "mirror")

    def xml(self, call: Call) -> Response:
        return self._document(call, "xml")

    def pdf(self, call: Call) -> Response:
        return self._document(call, "pdf")

    def _document(self, call: Call, kind: str) -> Response:
        """Redirect to the document if it exists; else answer a 404 with an empty HTML body [A notes 1.10]."""
        note = self._require(call.id)
        if not note["nfse_key"]:
            raise Refusal(404, media=_HTML_404)
        return Response(302, None, {"Location": f"{call.base}{address_of(note, kind)}"}, media=_HTML_404)

    def _page(self, call: Call, where: str, values: list[str]) -> Response:
        count = self._store.one(f"SELECT COUNT(*) FROM notes WHERE {where}", values)[0]  # noqa: S608

        def fetch(limit: int, offset: int) -> Any:
            rows = self._store.records(
                f"SELECT * FROM notes WHERE {where} ORDER BY id {order(self._world)} LIMIT ? OFFSET ?",  # noqa: S608
                [*values, limit, offset],
            )
            return [self._answers.whole(call.base, row) for row in rows]

        return envelope_page(call, count, fetch)

    def _require(self, note_id: int) -> Json:
        rows = self._store.records("SELECT * FROM notes WHERE id = ? AND deleted_at IS NULL", (note_id,))
        if not rows:
            raise not_found()
        return rows[0]

    def _batch(self, asked: Any, emitter: Json) -> Json | None:
        """Return the batch that the note joins. None if the request names none, or a switch ignores it.

        Refuse an unknown batch, another emitter's, a processed one and, if a switch says so, any sent one.
        """
        if asked is None or self._world.switches["batch_id"] == "ignore":
            return None
        rows = self._store.records("SELECT * FROM batches WHERE id = ?", (asked,)) if is_id(asked) else []
        if not rows or rows[0]["emitter_id"] != emitter["id"]:
            raise invalid({"batch_id": ["Lote não encontrado."]})
        status, attach = rows[0]["status"], self._world.switches["attach_after_send"]
        if status == "processed" or (status != "created" and attach == "refuse"):
            raise invalid({"batch_id": ["O lote já foi enviado."]})
        return rows[0]

    def _insert(self, checked: CheckedNote, number: int | None, batch: Json | None, asked: Any, now: float) -> int:
        named = int(asked) if is_id(asked) else None
        return self._store.run(
            "INSERT INTO notes (serie, number, is_complete, digest, taker_id, taker, service_values, body,"
            " emitter_id, batch_id, asked_batch_id, status, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,'created',?)",
            (*_columns(checked, number), checked.emitter["id"], batch["id"] if batch else None, named, now),
        )


def _as_asked(note: Json, changes: Json) -> Json:
    """Return a stored note as the request that would create it, with `changes` (service values one by one)."""
    known = {**json.loads(note["body"]), **{name: note[name] for name in ("serie", "number", "taker_id")}}
    if note["taker_id"] is None and note["taker"]:
        known["taker"] = json.loads(note["taker"])
    if "taker" in changes:
        known.pop("taker_id")
    values, changed = json.loads(note["service_values"]), changes.get("service_values")
    merged = {**values, **changed} if isinstance(changed, dict) else changed or values
    return {**known, **changes, "service_values": merged}


def _columns(checked: CheckedNote, number: int | None) -> tuple[Any, ...]:
    return checked.serie, number, checked.is_complete, checked.digest, checked.taker_id, *checked.texts
