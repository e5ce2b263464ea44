"""Carry out decisions that only a person takes: on a disturbed batch, an invoice in doubt, the start of a serie."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from connectors.ledger import batches as ledger_batches
from connectors.ledger import canaries as ledger_canaries
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import leases, withdrawals
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.batches import BatchRecord
from connectors.ledger.leases import Lease
from connectors.ledger.replacements import UNCONFIRMED
from domain.invoice_numbers import serie_problem, start_problem
from domain.issuing import SERVICE
from domain.problems import FaturistaError, Problem
from domain.states import SENT, UNSENT, BatchState, InvoiceState
from tasks.runtime import Context

BatchDecision = Literal["open", "discard", "sent", "seen", "accepted", "release"]
NoteDecision = Literal["accepted", "rejected", "retired"]

_BATCH_STATES: Final = {
    "open": BatchState.OPEN,
    "discard": BatchState.DISCARDING,
    "sent": BatchState.SCHEDULED,
}


def decide_batch(context: Context, batch_id: int, decision: BatchDecision, *, person: str, because: str) -> None:
    """Carry out a person's decision on a batch. Raises `FaturistaError` if the batch's state does not allow it.

    A disturbed batch continues: `open` stages it further, `discard` deletes its notes, `sent` follows it as sent by
    somebody else. `discard` is also possible for any unsent batch. `seen` closes the incidents of a batch that is not
    stopped. `accepted` confirms all posted invoices, if the provider cannot be asked. `release` sends a batch that
    waits for its canary, whatever the canary's result.
    """
    batch = context.ledger.read(ledger_batches.batch_of, batch_id)
    if decision == "accepted":
        _accept_posted(context, batch, person=person, because=because)
        return
    if decision == "seen":
        _have_seen(context, batch, person=person, because=because)
        return
    if decision == "release":
        _let_go(context, batch, because=f"{person}: {because}")
        return
    if decision == "discard" and batch.state in UNSENT:
        _give_up(context, batch_id, because=f"{person}: {because}")
        return
    if batch.state is not BatchState.DISTURBED:
        code = "batch.sent_before" if decision == "discard" and batch.state in SENT else "batch.not_disturbed"
        raise FaturistaError(Problem(code, params={"batch": batch_id, "state": batch.state.value}))
    context.ledger.write(
        ledger_batches.decide, batch_id, becomes=_BATCH_STATES[decision], person=person, because=because
    )


def _have_seen(context: Context, batch: BatchRecord, *, person: str, because: str) -> None:
    """Close a batch's incidents. Raises `FaturistaError` for a stopped batch, and if no incident may be closed here."""
    if batch.state is BatchState.DISTURBED:
        raise FaturistaError(Problem("batch.stopped", params={"batch": batch.id}))
    shown = context.ledger.read(ledger_incidents.incidents_open, batch.id)
    # An incident about an invoice in doubt ends with `decide_note`.
    about_it = [each.id for each in shown if each.invoice_id is None or each.code in UNCONFIRMED]
    if not about_it:
        raise FaturistaError(Problem("batch.nothing_to_see", params={"batch": batch.id}))
    for incident in about_it:
        context.ledger.write(ledger_incidents.close_incidents, by=f"{person}: {because}", incident_id=incident)


def _accept_posted(context: Context, batch: BatchRecord, *, person: str, because: str) -> None:
    posted = context.ledger.read(ledger_invoices.invoices_of, batch.id, states={InvoiceState.PROCESSING})
    if not posted or context.capabilities(batch.issuer).can_read:
        raise FaturistaError(Problem("batch.can_be_read", params={"batch": batch.id}))
    for note in posted:
        reason = f"{person}: {because}"
        context.ledger.write(
            ledger_invoices.settle,
            note.id,
            was=InvoiceState.PROCESSING,
            becomes=InvoiceState.ACCEPTED,
            because=reason,
        )


def _let_go(context: Context, batch: BatchRecord, *, because: str) -> None:
    if batch.state is not BatchState.HELD:
        raise FaturistaError(Problem("batch.not_held", params={"batch": batch.id, "state": batch.state.value}))
    with _lease_batch(context, batch.id, {BatchState.HELD}) as lease:
        context.ledger.write(ledger_canaries.let_go, lease, because=because)


@contextmanager
def _lease_batch(context: Context, batch_id: int, states: Collection[BatchState]) -> Iterator[Lease]:
    seconds = context.settings.protocol.lease_s
    lease = context.ledger.write(leases.claim, batch_id, owner=context.worker, seconds=seconds, states=states)
    if lease is None:
        raise FaturistaError(Problem("batch.busy", params={"batch": batch_id}))
    yield lease
    context.ledger.write(leases.give_back, lease)


def _give_up(context: Context, batch_id: int, *, because: str) -> None:
    with _lease_batch(context, batch_id, UNSENT) as lease:
        context.ledger.write(withdrawals.give_up, lease, because=because)


def decide_note(
    context: Context,
    invoice_id: int,
    decision: NoteDecision,
    *,
    person: str,
    because: str,
    remote_id: int | None = None,
) -> None:
    """Record a person's finding about a note that stayed in doubt or cannot be read; `because` has the evidence.

    `remote_id` is the provider's id of an accepted note, if the ledger lacks it. Raises `FaturistaError`.
    """
    was = _waiting_state(context, invoice_id)
    if was is InvoiceState.PROCESSING and decision == "retired":
        raise FaturistaError(Problem("batch.note_was_taken", params={"note": invoice_id}))
    is_settled = context.ledger.write(
        ledger_invoices.settle,
        invoice_id,
        was=was,
        becomes=InvoiceState(decision),
        because=f"{person}: {because}",
        remote_id=remote_id,
    )
    if not is_settled:
        raise FaturistaError(Problem("batch.note_not_unresolved", params={"note": invoice_id}))
    for incident in context.ledger.read(ledger_incidents.incidents_open):
        if incident.invoice_id == invoice_id:
            context.ledger.write(ledger_incidents.close_incidents, by=person, incident_id=incident.id)


def _waiting_state(context: Context, invoice_id: int) -> InvoiceState:
    """Return the state in which this invoice waits for a person: `processing` or `unresolved`."""
    found = context.ledger.read(ledger_invoices.invoices_by_ids, [invoice_id])
    asked = {
        (incident.batch_id, incident.params.get("number"))
        for incident in context.ledger.read(ledger_incidents.incidents_open)
        if incident.code == "batch.number_exists"
    }
    # If the issuer shows no invoices, only a person can find out what became of a posted one.
    is_posted = any(
        each.state is InvoiceState.PROCESSING
        and (not context.capabilities(each.issuer).can_read or (each.batch_id, each.number) in asked)
        for each in found
    )
    return InvoiceState.PROCESSING if is_posted else InvoiceState.UNRESOLVED


def start_serie(
    context: Context, *, emitter_cnpj: str, serie: str, start: int, person: str, kind: str = SERVICE
) -> None:
    """Record that a person confirms: only we use this serie from `start` on. Raises `FaturistaError`."""
    issuer = context.issuer_of(kind)
    rules = context.capabilities(issuer).numbers
    problem = serie_problem(serie, rules) or start_problem(start, rules)
    if problem is not None:
        raise FaturistaError(problem)
    emitter = context.ledger.read(ledger_parties.emitter_by_cnpj, emitter_cnpj, issuer)
    if emitter is None:
        raise FaturistaError(Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": emitter_cnpj}))
    context.ledger.write(ledger_numbers.start_serie, emitter.id, serie, start=start, by=person)
