"""Decide what only a person can, as a careful person would: after a look into the provider's page."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import batches as ledger_batches
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import tables
from connectors.ledger.batches import BatchRecord
from connectors.ledger.canaries import STOPPED
from connectors.ledger.invoices import InvoiceRecord
from domain.issuing import SERVICE
from domain.states import BatchState, InvoiceState
from tasks.issuance.decide import decide_batch, decide_note
from tasks.runtime import Context
from tests.faults.evidence import Record
from tests.sandboxes import RunningSandbox

UNSTABLE: Final = "batch.unstable_listing"
NUMBER_EXISTS: Final = "batch.number_exists"
_PATIENT_AFTER: Final = 2
_NAME: Final = "Ana"
_ENDS: Final[Mapping[str, Any]] = {
    "accepted": "accepted",
    "rejected": "rejected",
    "succeeded": "accepted",
}
_BECAUSE: Final = "seen in the provider's page"


def decide(context: Context, sandbox: RunningSandbox) -> int:
    """Settle everything that waits for a person and remove others' notes. Return the number of decisions."""
    _end_drifting_lists(context, sandbox)
    disturbed = context.ledger.read(ledger_batches.batches_where, states={BatchState.DISTURBED})
    unresolved = list(_unresolved(context))
    record = sandbox.record() if disturbed or unresolved else {}
    for note in unresolved:
        _decide_note(context, sandbox, record, note)
    for batch in disturbed:
        _decide_batch(context, sandbox, record, batch)
    taken = _decide_taken_numbers(context, sandbox)
    return len(unresolved) + len(disturbed) + taken + _release_held(context) + _close_seen(context)


def _end_drifting_lists(context: Context, sandbox: RunningSandbox) -> None:
    """End faults that let lists drift, after several reports of them: in time, people stop changing lists."""
    if context.ledger.read(_times_reported, UNSTABLE) < _PATIENT_AFTER:
        return
    rules = sandbox.control("faults")
    steady = [rule for rule in rules if rule["kind"] not in ("drifting_order", "lagging_counters")]
    if len(steady) < len(rules):
        sandbox.faults(*steady)


def _times_reported(conn: sa.Connection, code: str) -> int:
    table = tables.incidents
    return int(conn.execute(sa.select(sa.func.count()).where(table.c.code == code)).scalar_one())


def _close_seen(context: Context) -> int:
    """Close incidents about what the provider refused, or could not show, for a while."""
    passing = ("provider.", "cancel.", UNSTABLE)
    seen = [each for each in context.ledger.read(ledger_incidents.incidents_open) if each.code.startswith(passing)]
    for incident in seen:
        context.ledger.write(ledger_incidents.close_incidents, by=_NAME, incident_id=incident.id)
    return len(seen)


def _release_held(context: Context) -> int:
    """Send what waits for a rejected canary: the city's reason is the canary's own."""
    waiting = [each for each in context.ledger.read(ledger_incidents.incidents_open) if each.code in STOPPED]
    for incident in waiting:
        assert incident.batch_id is not None
        decide_batch(context, incident.batch_id, "release", person=_NAME, because=_BECAUSE)
    return len(waiting)


def _decide_taken_numbers(context: Context, sandbox: RunningSandbox) -> int:
    """Reject invoices whose number another program's invoice took, as the incident says."""
    incidents = [each for each in context.ledger.read(ledger_incidents.incidents_open) if each.code == NUMBER_EXISTS]
    record = sandbox.record() if incidents else {}
    for incident in incidents:
        assert incident.batch_id is not None
        for note in context.ledger.read(
            ledger_invoices.invoices_of, incident.batch_id, states={InvoiceState.PROCESSING}
        ):
            if note.number == incident.params["number"]:
                (ours,) = [each for each in record["product_invoices"] if each["id"] == note.remote_id]
                end = _ENDS[ours["status"]]
                decide_note(context, note.id, end, person=_NAME, because=_BECAUSE, remote_id=note.remote_id)
        decide_batch(context, incident.batch_id, "seen", person=_NAME, because=_BECAUSE)
    return len(incidents)


def _unresolved(context: Context) -> Iterator[InvoiceRecord]:
    for batch in context.ledger.read(ledger_batches.batches_where):
        yield from context.ledger.read(ledger_invoices.invoices_of, batch.id, states={InvoiceState.UNRESOLVED})


def _decide_note(context: Context, sandbox: RunningSandbox, record: Record, note: InvoiceRecord) -> None:
    cnpj = context.ledger.read(ledger_parties.emitter_of, note.emitter_id).cnpj
    there = [each for each in _undeleted(record) if _number(each) == (cnpj, note.kind, str(note.serie), note.number)]
    for each in there:
        if each["status"] == "created":
            sandbox.control("act", {"do": "delete", "note_id": each["id"]})
    issued = [each for each in there if each["status"] in _ENDS]
    if issued:
        end = _ENDS[issued[0]["status"]]
        decide_note(context, note.id, end, person=_NAME, because=_BECAUSE, remote_id=issued[0]["id"])
    else:
        decide_note(context, note.id, "retired", person=_NAME, because="not in the provider's page")


def _decide_batch(context: Context, sandbox: RunningSandbox, record: Record, batch: BatchRecord) -> None:
    """Follow a batch that was sent; open an unsent one again at first, and take it back after that."""
    if batch.kind != SERVICE:
        decide_batch(context, batch.id, "sent", person=_NAME, because=_BECAUSE)
        return
    remote = next((each for each in record["batches"] if each["id"] == batch.remote_id), None)
    if remote is not None and remote["status"] != "created":
        decide_batch(context, batch.id, "sent", person=_NAME, because="somebody sent it")
        return
    # A note without a known id is identified by its number: it may be the very note in doubt.
    notes = context.ledger.read(ledger_invoices.invoices_of, batch.id)
    ours = {note.remote_id for note in notes}
    doubted = {(note.serie, note.number) for note in notes if note.remote_id is None}
    for note in record["notes"]:
        is_ours = note["id"] in ours or (note["serie"], note["number"]) in doubted
        if note["batch_id"] == batch.remote_id and not note["is_deleted"] and not is_ours:
            sandbox.control("act", {"do": "delete", "note_id": note["id"]})
    is_first = batch.remote_id is not None and batch.revision == 1
    decide_batch(context, batch.id, "open" if is_first else "discard", person=_NAME, because=_BECAUSE)


def _undeleted(record: Record) -> Iterator[Record]:
    yield from (note for note in record["notes"] if not note["is_deleted"])
    yield from record["product_invoices"]


def _number(note: Record) -> tuple[str, str, str, int]:
    issuer = note.get("emitter_cnpj") or note["organization_cnpj"]
    return (issuer, note.get("kind", SERVICE), str(note["serie"]), note["number"])
