"""The cities: progress of sent notes, rejections, and the processing of batches.

Before each request, and while a webhook exists also between requests, everything due happens with the instant at which
it was due.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from connectors.emulation.messages import Json
from connectors.emulation.repeatable_random import code, fraction
from connectors.nfse.emulator.amounts import hundredths
from connectors.nfse.emulator.state import RIO, SAO_PAULO, EmulatorState

FINAL: Final = ("accepted", "rejected", "cancelled")
_FEDERAL: Final = ("pis_amount", "cofins_amount", "inss_amount", "ir_amount", "csll_amount")
_PROCESSING_AT: Final = 0.3
_SHORTEST: Final = 0.4
_FAR: Final = 1e15

_DUE: Final = (
    "SELECT id, status, emitter_id, serie, number, batch_id, due_at, final_at, ending, service_values, taker, sent_at,"
    " json_extract(body, '$.substitute_rps') FROM notes WHERE due_at <= ? ORDER BY due_at, id LIMIT 500"
)
_LOOK: Final = (
    "UPDATE notes SET looks = looks + 1,"
    " due_at = CASE WHEN looks + 1 >= ? OR status = 'scheduled' THEN 0 ELSE due_at END,"
    " final_at = CASE WHEN looks + 1 >= ? THEN 0 ELSE final_at END WHERE final_at IS NOT NULL AND "
)
_LOOKED: Final = {"id": f"{_LOOK} id = ?", "batch_id": f"{_LOOK} batch_id = ?"}

E30: Final = {
    "code": "E30",
    "description": "Item da lista de serviço inexistente.",
    "tip": "Confira o código do serviço.",
}
E916: Final = {
    "code": "E916",
    "description": "Retenções federais não são permitidas para tomador pessoa física.",
    "tip": "Retire as retenções federais.",
}
E500: Final = {"code": "500", "description": "A prefeitura não respondeu.", "tip": "Tente novamente mais tarde."}
E79: Final = {"code": "E79", "description": "Essa NFS-e já está cancelada.", "tip": "Confira o número da NFS-e."}
E987: Final = {
    "code": "E987",
    "description": "Inscrição municipal do tomador não confere.",
    "tip": "Confira o cadastro do tomador.",
}
REASONS: Final = {reason["code"]: reason for reason in (E30, E916, E987, E500)}
# The messages of a scripted rejection: observed codes, and the empty array that was observed too [A notes 1.11]
_SCRIPTED: Final[Sequence[list[dict[str, str]]]] = ([E987], [E500], [])


_Move = tuple[int, str | None, str, float]


class Rps(NamedTuple):
    """A note with its number."""

    note: int
    status: str
    emitter_id: int
    serie: str | None
    number: int | None


class _Due(NamedTuple):
    """A note whose next step is due."""

    note: int
    status: str
    emitter_id: int
    serie: str | None
    number: int | None
    batch_id: int | None
    due_at: float
    final_at: float
    ending: str
    service_values: str
    taker: str | None
    sent_at: float | None
    replaces: str | None

    @property
    def rps(self) -> Rps:
        return Rps(*self[:5])


def change_status(world: EmulatorState, moves: Sequence[_Move]) -> None:
    """Change statuses, given as (note, from, to, at), with their history. Nothing else writes a note's status."""
    world.store.run_many("UPDATE notes SET status = ? WHERE id = ?", [(to, note) for note, _, to, _ in moves])
    write_history(world, moves)
    if world.outbox.webhook_ids:
        world.outbox.queue(moves)


def write_history(world: EmulatorState, moves: Sequence[_Move]) -> None:
    world.store.run_many("INSERT INTO note_history (note_id, from_status, to_status, at) VALUES (?, ?, ?, ?)", moves)


def change_batch(world: EmulatorState, batch_id: int, was: str | None, to: str, at: float) -> None:
    """Change a batch's status and add the change to its history. Nothing else changes a batch's status."""
    world.store.run("UPDATE batches SET status = ? WHERE id = ?", (to, batch_id))
    world.store.run(
        "INSERT INTO batch_history (batch_id, from_status, to_status, at) VALUES (?, ?, ?, ?)", (batch_id, was, to, at)
    )


def send(world: EmulatorState, notes: Sequence[Rps], at: float) -> None:
    """Pass notes to their city: each becomes scheduled and gets its due instants."""
    change_status(world, [(rps.note, rps.status, "scheduled", at) for rps in notes])
    for rps in notes:
        _flag_repeated_numbers(world, rps, at)
        begins, ends = _instants_of_work(world, rps.note, at)
        world.store.run(
            "UPDATE notes SET sent_at = ?, due_at = ?, final_at = ? WHERE id = ?", (at, begins, ends, rps.note)
        )


def cancel(world: EmulatorState, note_ids: Sequence[int], at: float) -> None:
    """Set when the city ends the cancellation of these notes. The caller sets the status `cancelling`."""
    hours = [(note, _instants_of_work(world, note, at)[1]) for note in note_ids]
    world.store.run_many(
        "UPDATE notes SET due_at = ?, final_at = ?, looks = 0, ending = 'cancelled' WHERE id = ?",
        [(end, end, note) for note, end in hours],
    )


def set_rejection(world: EmulatorState, note: int, errors: Sequence[Mapping[str, str]]) -> None:
    """Let the city reject a note for these reasons once it decides."""
    world.store.run("UPDATE notes SET ending = ? WHERE id = ?", (json.dumps(errors, ensure_ascii=False), note))


def count_read(world: EmulatorState, where: Literal["id", "batch_id"], value: int) -> None:
    """Count a read of these notes: with `advance = looks`, the first read starts them and the last one ends them."""
    if world.switches["advance"] != "looks":
        return
    limit = world.switches["advance_looks"]
    world.store.run(_LOOKED[where], (limit, limit, value))


def advance(world: EmulatorState) -> None:
    """Advance all notes that are due, and their batches."""
    now = world.now()
    touched: set[int] = set()
    while rows := world.store.all(_DUE, (now,)):
        for due in map(_Due._make, rows):
            _advance_note(world, due, now)
            if due.batch_id is not None:
                touched.add(due.batch_id)
    for batch_id in sorted(touched):
        refresh_batch(world, batch_id)


def refresh_batch(world: EmulatorState, batch_id: int) -> None:
    """Set a sent batch to `processing` once a note has begun, to `processed` once all sent notes are final."""
    status = world.store.one("SELECT status FROM batches WHERE id = ?", (batch_id,))[0]
    rows = world.store.all(
        "SELECT status, COUNT(*), MAX(due_at) FROM notes WHERE batch_id = ? AND deleted_at IS NULL"
        " AND status != 'created' GROUP BY status",
        (batch_id,),
    )
    counts = {row[0]: row[1] for row in rows}
    is_done = bool(counts) and not counts.keys() - set(FINAL)
    has_begun = bool(counts.keys() - {"scheduled"})
    now = world.now()
    if status == "scheduled" and has_begun:
        change_batch(world, batch_id, "scheduled", "processing", now)
        status = "processing"
    if status == "processing" and is_done:
        change_batch(world, batch_id, "processing", "processed", now)


def _instants_of_work(world: EmulatorState, note: int, at: float) -> tuple[float, float]:
    """Return when a note's city starts with it and when it finishes, by the switch `advance`."""
    slow = world.faults.choose("city")
    later = float(slow.get("seconds", 60.0)) if slow else 0.0
    if world.switches["advance"] == "looks":
        return _FAR, _FAR
    if world.switches["advance"] == "at_once":
        return at, at + later
    whole = world.switches["advance_seconds"] * (_SHORTEST + (1 - _SHORTEST) * fraction("hours", note))
    return at + whole * _PROCESSING_AT, at + whole + later


def _advance_note(world: EmulatorState, due: _Due, now: float) -> None:
    moment = due.due_at or now  # a read advances a note by setting its due instant to 0
    if due.ending == "cancelled":
        _end_cancellation(world, due, moment)
    elif due.status == "scheduled":
        change_status(world, [(due.note, "scheduled", "processing", moment)])
        # if `advance` counts looks, the end is far in the future until enough reads set it to 0
        ends = None if due.final_at >= _FAR else due.final_at
        world.store.run("UPDATE notes SET due_at = ? WHERE id = ?", (ends, due.note))
    elif due.status == "processing":
        _decide(world, due, moment)
    else:
        world.store.run("UPDATE notes SET due_at = NULL WHERE id = ?", (due.note,))


def _end_cancellation(world: EmulatorState, due: _Due, at: float) -> None:
    # a note that was never sent cannot return to accepted
    is_refused = due.sent_at is not None and world.switches["cancellation"] == "refuse"
    change_status(world, [(due.note, due.status, "accepted" if is_refused else "cancelled", at)])
    if is_refused:
        world.store.run("UPDATE notes SET errors = ? WHERE id = ?", (json.dumps([E79]), due.note))
    world.store.run("UPDATE notes SET due_at = NULL, final_at = NULL, ending = 'done' WHERE id = ?", (due.note,))


def _decide(world: EmulatorState, due: _Due, at: float) -> None:
    emitter = world.emitters.get(due.emitter_id) or {}
    until = world.faults.outage(emitter.get("city_code"), f"note {due.note}")
    if until is not None:
        _hold(world, due.note, until)
        return
    errors = _rejection(world, due, emitter)
    if errors is not None:
        change_status(world, [(due.note, "processing", "rejected", at)])
        world.store.run(
            "UPDATE notes SET errors = ?, due_at = NULL, final_at = NULL WHERE id = ?", (json.dumps(errors), due.note)
        )
        return
    if emitter.get("city_code") == SAO_PAULO:
        _cancel_earlier(world, due.rps, at)
    _cancel_replaced(world, due, at)
    nfse_number = emitter.get("latest_nfse_number", 0) + 1
    world.emitters.replace({**emitter, "latest_nfse_number": nfse_number})
    change_status(world, [(due.note, "processing", "accepted", at)])
    world.store.run(
        "UPDATE notes SET nfse_number = ?, nfse_key = ?, errors = '[]', due_at = NULL, final_at = NULL WHERE id = ?",
        (str(nfse_number), code("key", due.emitter_id, nfse_number), due.note),
    )


def _hold(world: EmulatorState, note: int, until: float) -> None:
    """Keep the note processing, with a message, while the city hall does not answer [A notes 1.11]."""
    world.store.run(
        "UPDATE notes SET errors = ?, due_at = ?, final_at = ? WHERE id = ?", (json.dumps([E500]), until, until, note)
    )


def _rejection(world: EmulatorState, due: _Due, emitter: Json) -> list[dict[str, str]] | None:
    """Return why the city rejects this note, or None. An empty list is a rejection without a reason."""
    if due.ending != "done":
        condemned: list[dict[str, str]] = json.loads(due.ending)
        return condemned
    values, taker = json.loads(due.service_values), json.loads(due.taker or "null")
    is_rio = emitter.get("city_code") == RIO
    item = str(values.get("service_item_code") or "")
    if not (item.isdigit() and len(item) == (4 if is_rio else 5)):
        return [E30]
    if is_rio and taker and taker.get("cpf") and any(hundredths(values.get(name)) for name in _FEDERAL):
        return [E916]
    chance = (world.switches["rejection_seed"], due.emitter_id, due.serie, due.number)
    if fraction("rejected", *chance) < world.switches["rejection_share"]:
        return _SCRIPTED[int(fraction("reason", *chance) * len(_SCRIPTED))]
    return None


def _cancel_earlier(world: EmulatorState, rps: Rps, at: float) -> None:
    """Cancel the earlier invoice with a reused number, silently, as São Paulo does [A notes 1.29]."""
    for victim in _same_number(world, rps, "status = 'accepted'"):
        change_status(world, [(victim, "accepted", "cancelled", at)])
        world.store.violate(
            at, "silently_cancelled", note_id=victim, because_of=rps.note, serie=rps.serie, number=rps.number
        )


def _cancel_replaced(world: EmulatorState, due: _Due, at: float) -> None:
    """Cancel the accepted note that the note in `due` replaces [A notes 1.30]."""
    asked = json.loads(due.replaces) if due.replaces else None
    if asked and world.switches["replacement"] == "cancel":
        replaced = due.rps._replace(serie=asked["serie"], number=asked["number"])
        for note in _same_number(world, replaced, "status = 'accepted'"):
            change_status(world, [(note, "accepted", "cancelled", at)])


def _flag_repeated_numbers(world: EmulatorState, rps: Rps, at: float) -> None:
    """Record a violation where two notes of one number are sent: the harm that the pipeline must prevent."""
    others = _same_number(world, rps, "sent_at IS NOT NULL")
    if others:
        world.store.violate(at, "issued_twice", note_id=rps.note, others=others, serie=rps.serie, number=rps.number)


def _same_number(world: EmulatorState, rps: Rps, condition: str) -> list[int]:
    rows = world.store.all(
        f"SELECT id FROM notes WHERE emitter_id = ? AND serie = ? AND number = ? AND id != ? AND {condition}",  # noqa: S608
        (rps.emitter_id, rps.serie, rps.number, rps.note),
    )
    return [row[0] for row in rows]
