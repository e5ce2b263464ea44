"""Acts of a person on the provider's website, and lists of everything posted."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from connectors.emulation.instants import at
from connectors.emulation.messages import Json, Refusal, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Listing, Overview, StatusCounts
from connectors.nfse.emulator import city_hall
from connectors.nfse.emulator.amounts import with_amounts
from connectors.nfse.emulator.batches import Batches
from connectors.nfse.emulator.notes import Notes
from connectors.nfse.emulator.state import EmulatorState

ACTS: Final = ("send", "cancel_batch", "delete", "edit", "add", "cancel", "reject")
_SHOWN: Final = 8
_DELIVERIES: Final = (
    "SELECT CASE WHEN due_at NOT NULL THEN 'waiting' WHEN status BETWEEN 200 AND 299 THEN 'delivered' ELSE 'failed' END"
    " AS outcome, COUNT(*) FROM webhook_deliveries GROUP BY outcome"
)
_COMPUTED: Final = frozenset(with_amounts({}))


class BackOffice:
    """Imitates a person on the provider's website (`act`), and lists what is stored (`record`)."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._store = world, world.store
        self._notes, self._batches = Notes(world), Batches(world)
        self._acts: Mapping[str, Callable[[Json], Json]] = {
            "send": self._send,
            "cancel_batch": self._cancel_batch,
            "delete": self._delete,
            "edit": self._edit,
            "add": self._add,
            "cancel": self._cancel,
            "reject": self._reject,
        }

    def act(self, asked: Json, answer: Response | None = None) -> Json:
        """Perform one act: `{do, batch_id | note_id, …}`.

        Missing ids come from `answer`, the answer to the request whose fault contains the act. A batch without a note
        id means its newest note. Raises `ValueError` with a sentence for an unknown or refused act.
        """
        wanted = self._newest({**_ids(answer), **asked})
        if wanted.get("do") not in self._acts:
            raise ValueError(f"an act is one of {', '.join(self._acts)}")
        try:
            return self._acts[wanted["do"]](wanted)
        except Refusal as refusal:
            raise ValueError(f"the provider refuses: {refusal.answer.status} {refusal.answer.body}") from None
        except KeyError as lacking:
            raise ValueError(f"this act needs {lacking}") from None

    def record(self, window: Window) -> Json:
        """Return emitters, notes (deleted ones too) and batches in the window.

        Include status changes and webhook deliveries if `window` asks for them.
        """
        emitters = {emitter["id"]: emitter["cnpj"] for emitter in self._world.emitters.find({})}
        found: Json = {
            "emitters": [{"id": key, "cnpj": cnpj} for key, cnpj in emitters.items() if window.holds(key)],
            "notes": [_note_record(row, emitters) for row in self._store.within("notes", window)],
            "batches": self._store.within("batches", window),
        }
        if window.has_history:
            found["note_history"] = self._store.within("note_history", window)
            found["batch_history"] = self._store.within("batch_history", window)
            found["webhook_deliveries"] = self._store.within("webhook_deliveries", window)
        return found

    def overview(self) -> Overview:
        """Count notes and batches by status; show the account, its emitters and the latest batches."""
        account = self._world.account
        plan = account.get("plan") or {}
        return Overview(
            (
                StatusCounts("batches", dict(self._store.all("SELECT status, COUNT(*) FROM batches GROUP BY status"))),
                StatusCounts("notes", self._notes_by_status()),
                *self._deliveries(),
            ),
            (
                Listing("latest_batches", ("id", "batch", "emitter", "status", "notes"), list(self._latest_batches())),
                Listing(
                    "account",
                    ("name", "plan", "quota"),
                    [(account.get("name"), plan.get("name"), account.get("max_emissions"))],
                ),
                Listing(
                    "emitters",
                    ("id", "name", "cnpj", "city"),
                    [
                        (emitter["id"], emitter.get("social_reason"), emitter.get("cnpj"), emitter.get("city"))
                        for emitter in self._world.emitters.find({}, _SHOWN)
                    ],
                ),
            ),
        )

    def _deliveries(self) -> Iterator[StatusCounts]:
        """Yield counts of webhook deliveries, if a webhook ever existed."""
        counts = dict(self._store.all(_DELIVERIES))
        if counts:
            yield StatusCounts("deliveries", counts)

    def _notes_by_status(self, batch_id: int | None = None) -> dict[str, int]:
        # each query uses an index alone: counting 200,000 notes reads none of them
        within, values = ("", ()) if batch_id is None else (" AND batch_id = ?", (batch_id,))
        count = "SELECT status, COUNT(*) FROM notes WHERE {}{} GROUP BY status"
        deleted = dict(self._store.all(count.format("deleted_at NOT NULL", within), values))
        present = self._store.all(count.format("1", within), values)
        return {status: count - deleted.get(status, 0) for status, count in present}

    def _latest_batches(self) -> Iterator[tuple[Any, ...]]:
        for batch in self._store.records("SELECT * FROM batches ORDER BY id DESC LIMIT ?", (_SHOWN,)):
            emitter = self._world.emitters.get(batch["emitter_id"]) or {}
            counts = self._notes_by_status(batch["id"])
            yield (
                batch["id"],
                batch["name"],
                emitter.get("social_reason"),
                batch["status"],
                StatusCounts("notes", counts),
            )

    def _send(self, asked: Json) -> Json:
        self._batches.send_now(self._batch(asked))
        return {"batch_id": asked["batch_id"]}

    def _cancel_batch(self, asked: Json) -> Json:
        self._batches.cancel_now(self._batch(asked))
        return {"batch_id": asked["batch_id"]}

    def _delete(self, asked: Json) -> Json:
        self._notes.delete_now(self._note(asked))
        return {"note_id": asked["note_id"]}

    def _cancel(self, asked: Json) -> Json:
        self._notes.cancel_now(self._note(asked))
        return {"note_id": asked["note_id"]}

    def _reject(self, asked: Json) -> Json:
        """Let the city reject the note with `code`. `description` and `tip` replace the code's known texts, if any."""
        note = self._note(asked)
        if note["status"] not in ("created", "scheduled", "processing"):
            raise ValueError("the city has decided about this note already")
        code: str = str(asked["code"])
        reason: dict[str, str] = {"code": code, "description": "", "tip": "", **city_hall.REASONS.get(code, {})}
        reason.update((name, str(asked[name])) for name in ("description", "tip") if name in asked)
        city_hall.set_rejection(self._world, note["id"], [reason])
        return {"note_id": note["id"]}

    def _edit(self, asked: Json) -> Json:
        """Overwrite the note's `fields` and its `service_values`, as the act names them; recompute the amounts."""
        note = self._note(asked)
        body = {**json.loads(note["body"]), **asked.get("fields", {})}
        values, changes = json.loads(note["service_values"]), asked.get("service_values")
        if changes:
            kept = {name: value for name, value in values.items() if name not in _COMPUTED}
            values = with_amounts({**kept, "service_amount": values["service_amount"], **changes})
        self._store.run(
            "UPDATE notes SET body = ?, service_values = ? WHERE id = ?",
            (json.dumps(body, ensure_ascii=False), json.dumps(values, ensure_ascii=False), note["id"]),
        )
        return {"note_id": note["id"]}

    def _add(self, asked: Json) -> Json:
        """Store a copy of the note in its batch, with `serie` (default: the same) and `number` (default: the next)."""
        note = self._note(asked)
        now = self._world.now()
        number = asked.get("number")
        if number is None:
            number = (
                1
                + self._store.one(
                    "SELECT MAX(number) FROM notes WHERE emitter_id = ? AND serie = ?",
                    (note["emitter_id"], asked.get("serie", note["serie"])),
                )[0]
            )
        copy = {name: value for name, value in note.items() if name != "id"} | {
            "serie": asked.get("serie", note["serie"]),
            "number": number,
            "created_at": now,
            "digest": f"added by a person, {note['digest']}",
        }
        marks = ", ".join("?" * len(copy))
        new_id = self._store.run(
            f"INSERT INTO notes ({', '.join(copy)}) VALUES ({marks})",  # noqa: S608 - our own column names
            list(copy.values()),
        )
        self._store.run(
            "INSERT INTO note_history (note_id, from_status, to_status, at) VALUES (?, NULL, ?, ?)",
            (new_id, note["status"], now),
        )
        return {"note_id": new_id}

    def _newest(self, asked: Json) -> Json:
        if "note_id" in asked or "batch_id" not in asked:
            return asked
        latest = "SELECT MAX(id) FROM notes WHERE batch_id = ? AND deleted_at IS NULL"
        newest = self._store.one(latest, (asked["batch_id"],))[0]
        return asked if newest is None else {**asked, "note_id": newest}

    def _batch(self, asked: Json) -> Json:
        rows = self._store.records("SELECT * FROM batches WHERE id = ?", (asked["batch_id"],))
        if not rows:
            raise ValueError("there is no such batch")
        return rows[0]

    def _note(self, asked: Json) -> Json:
        rows = self._store.records("SELECT * FROM notes WHERE id = ? AND deleted_at IS NULL", (asked["note_id"],))
        if not rows:
            raise ValueError("there is no such note")
        return rows[0]


def _ids(answer: Response | None) -> Json:
    """Return the note and batch that an answered request was about."""
    body = answer.body if answer is not None and isinstance(answer.body, dict) else {}
    if "batch_id" in body:
        return {"note_id": body["id"], "batch_id": body["batch_id"]}
    return {"batch_id": body["id"]} if "properties" in body else {}


def _mailbox(body: Json, taker: Json) -> str | None:
    """Return the address to which the provider would mail an accepted note. The sandbox shows it and sends nothing."""
    return (taker.get("contact") or {}).get("email") if body.get("send_nfse_taker") else None


def _note_record(row: Json, emitters: Mapping[int, str]) -> Json:
    """Return one note for the control request `record`: amounts as the API's texts, instants in UTC."""
    taker: Any = json.loads(row["taker"]) if row["taker"] else {}
    body = json.loads(row["body"])
    return {
        "id": row["id"],
        "emitter_id": row["emitter_id"],
        "emitter_cnpj": emitters.get(row["emitter_id"]),
        "batch_id": row["batch_id"],
        "asked_batch_id": row["asked_batch_id"],
        "serie": row["serie"],
        "number": row["number"],
        "status": row["status"],
        "is_complete": bool(row["is_complete"]),
        "is_deleted": row["deleted_at"] is not None,
        "was_sent": row["sent_at"] is not None,
        "taker_document": taker.get("cnpj") or taker.get("cpf"),
        "mailed_to": _mailbox(body, taker) if row["nfse_key"] else None,
        "service_values": json.loads(row["service_values"]),
        "competence": body.get("competence"),
        "emission_date": body.get("emission_date"),
        "other_informations": body.get("other_informations"),
        "nfse_number": row["nfse_number"],
        "nfse_key": row["nfse_key"],
        "errors": json.loads(row["errors"]),
        "digest": row["digest"],
        "posted_at": at(row["created_at"]),
        "sent_at": at(row["sent_at"]) if row["sent_at"] is not None else None,
    }
