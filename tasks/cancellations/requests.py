"""Ask for cancellations, approve them and withdraw them. Nothing here sends a request to the issuer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger.cancellations import Cancellation, Issued
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.staff import batch_approvals
from domain.problems import FaturistaError, Problem
from domain.products.texts import transliterate
from domain.staff import Actor
from domain.states import LIVING, InvoiceState
from tasks.runtime import Context

LONGEST_REASON: Final = 255
_MOST_NAMED: Final = 5
_WAITS_FOR_AN_APPROVER: Final = frozenset({"staff.above_limit", "staff.may_not_approve"})
_UNSENT: Final = frozenset(
    {
        InvoiceState.DRAFTED,
        InvoiceState.RESERVED,
        InvoiceState.POSTING,
        InvoiceState.IN_DOUBT,
        InvoiceState.UNRESOLVED,
        InvoiceState.CREATED,
    }
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An invoice that somebody wants to cancel. `problem`: why it cannot be cancelled; None if it can.

    `has_window`: the issuer allows a cancellation only for some time after the issue. `until`: the instant up to which
    it certainly does; None without a window, or if that instant is unknown.
    """

    note: InvoiceRecord
    emitter_name: str
    until: datetime | None
    has_window: bool
    problem: Problem | None


def find_invoice(
    context: Context,
    *,
    rps: tuple[str, int] | None = None,
    nfse: str | None = None,
    remote_id: int | None = None,
    emitter_cnpj: str | None = None,
) -> InvoiceRecord:
    """Return the one invoice that matches every argument given.

    Raises `FaturistaError` if none or several match, or if none of `rps`, `nfse` and `remote_id` is given.
    """
    if rps is None and nfse is None and remote_id is None:
        raise FaturistaError(Problem("cancel.nothing_named"))
    serie, number = (None, None) if rps is None else rps
    found = context.ledger.read(
        ledger_invoices.find_invoices, serie=serie, number=number, nfse_number=nfse, remote_id=remote_id
    )
    if emitter_cnpj is not None:
        cnpjs = {each.id: each.cnpj for each in context.ledger.read(ledger_parties.emitters_all)}
        found = [each for each in found if cnpjs[each.emitter_id] == emitter_cnpj]
    if not found:
        raise FaturistaError(Problem("cancel.unknown"))
    if len(found) > 1:
        named = [f"--rps {each.serie}-{each.number} --note {each.remote_id}" for each in found[:_MOST_NAMED]]
        raise FaturistaError(Problem("cancel.several", params={"count": len(found), "named": "; ".join(named)}))
    return found[0]


def candidates(context: Context, notes: Sequence[InvoiceRecord]) -> list[Candidate]:
    """Return whether each invoice can be cancelled, and until when."""
    ids = [note.id for note in notes]
    issued = context.ledger.read(ledger_cancellations.issued_between, ids)
    cancellations = context.ledger.read(ledger_cancellations.of_invoices, ids)
    open_ids = {
        cancellation.invoice_id: cancellation for cancellation in cancellations if cancellation.ended_at is None
    }
    names = {each.id: each.name for each in context.ledger.read(ledger_parties.emitters_all)}
    judged = [
        _candidate(context, note, names.get(note.emitter_id, ""), issued[note.id], open_ids.get(note.id))
        for note in notes
    ]
    successors = context.ledger.read(ledger_replacements.successors, ids)
    return [_unless_replaced(each, successors.get(each.note.id)) for each in judged]


def _unless_replaced(candidate: Candidate, successor: InvoiceRecord | None) -> Candidate:
    note = candidate.note
    is_asked = successor is not None and successor.state in LIVING and note.state is InvoiceState.ACCEPTED
    if candidate.problem is not None or not is_asked:
        return candidate
    params: dict[str, str | int] = {"serie": note.serie or "-", "number": note.number or 0}
    return replace(candidate, problem=Problem("cancel.being_replaced", params=params))


def _candidate(
    context: Context, note: InvoiceRecord, emitter_name: str, issued: Issued, cancellation: Cancellation | None
) -> Candidate:
    capabilities = context.capabilities(note.issuer)
    window = capabilities.cancel_window
    until = None if window is None or issued.posted_at is None else issued.posted_at + window
    # The invoice was issued before our first look that saw it accepted, so after this instant it is too late.
    is_late = window is not None and issued.seen_at is not None and issued.seen_at + window < context.clock()
    where: dict[str, str | int] = {"serie": note.serie or "-", "number": note.number or 0}
    problem: Problem | None = None
    if cancellation is not None:
        problem = Problem("cancel.asked_before", params={**where, "cancellation": cancellation.id})
    elif note.state in _UNSENT:
        problem = Problem("cancel.not_sent", params={**where, "state": note.state.value, "batch": note.batch_id or 0})
    elif note.state is not InvoiceState.ACCEPTED:
        problem = Problem("cancel.not_issued", params={**where, "state": note.state.value})
    elif not capabilities.can_cancel:
        problem = Problem("cancel.cannot", params=where)
    elif is_late:
        problem = Problem("cancel.too_late", params=where)
    return Candidate(note, emitter_name, until, window is not None, problem)


def reason_problem(context: Context, reason: str, notes: Sequence[InvoiceRecord]) -> Problem | None:
    """Return what is wrong with a reason for cancelling these invoices, or None."""
    plain = transliterate(reason)
    least = max((context.capabilities(note.issuer).shortest_reason for note in notes), default=1)
    if not plain.isascii() or not plain.isprintable():
        return Problem("cancel.reason_letters")
    if not least <= len(plain) <= LONGEST_REASON:
        return Problem("cancel.reason_length", params={"least": least, "most": LONGEST_REASON, "found": len(plain)})
    return None


def request(context: Context, wanted: Sequence[tuple[InvoiceRecord, str]], *, actor: Actor) -> list[Cancellation]:
    """Store a cancellation for each invoice and reason. Return those that were stored.

    Approve them at once if the profile requires no four eyes and the total is within the actor's limit as an approver;
    otherwise they wait for an approver. Skip an invoice that is not accepted any more, or has an open cancellation.
    Raises `FaturistaError` for a reason that the issuer does not take, and where the person's enrolment has changed:
    then nothing is stored.
    """
    for note, reason in wanted:
        problem = reason_problem(context, reason, [note])
        if problem is not None:
            raise FaturistaError(problem)
    groups = [
        ([note.id for note, given in wanted if given == reason], " ".join(reason.split()))
        for reason in dict.fromkeys(reason for _, reason in wanted)
    ]
    approves = not context.settings.approval.four_eyes
    try:
        ids = context.ledger.write(batch_approvals.request_cancellations, actor, groups, approves=approves)
    except FaturistaError as error:
        if error.problem.code not in _WAITS_FOR_AN_APPROVER:
            raise
        ids = context.ledger.write(batch_approvals.request_cancellations, actor, groups, approves=False)
    return context.ledger.read(ledger_cancellations.by_ids, ids)


def waiting_cancellations(context: Context, ids: Sequence[int] = ()) -> list[Cancellation]:
    """Return the cancellations that wait for approval: all, or `ids`. Raises `FaturistaError` if one does not wait."""
    found = [
        cancellation
        for cancellation in context.ledger.read(ledger_cancellations.all_open)
        if cancellation.approved_at is None
    ]
    if missing := set(ids) - {cancellation.id for cancellation in found}:
        raise FaturistaError(Problem("cancel.not_waiting", params={"cancellation": min(missing)}))
    return [cancellation for cancellation in found if not ids or cancellation.id in ids]


def approve(context: Context, cancellations: Sequence[Cancellation], *, actor: Actor) -> list[int]:
    """Approve these cancellations. Return the batches of their invoices.

    Raises `FaturistaError` where the profile requires four eyes and the same person asked for one of them, and where
    the person's enrolment has changed or the limit is too low.
    """
    own = [cancellation.id for cancellation in cancellations if actor.is_called(cancellation.requested_by)]
    if own and context.settings.approval.four_eyes:
        raise FaturistaError(Problem("cancel.same_person", params={"cancellation": own[0], "person": actor.name}))
    ids = [cancellation.id for cancellation in cancellations]
    approved = set(context.ledger.write(batch_approvals.approve_cancellations, actor, ids))
    return sorted({cancellation.batch_id for cancellation in cancellations if cancellation.id in approved})


def withdraw(context: Context, ids: Sequence[int], *, person: str, because: str) -> None:
    """Withdraw cancellations. Raises `FaturistaError` for one that ended, or that the issuer is processing.

    The others are withdrawn even then.
    """
    answer = Problem("cancel.withdrawn", params={"person": person, "reason": because})
    taken = context.ledger.write(ledger_cancellations.withdraw, ids, answers=[answer.to_json()])
    if missing := set(ids) - set(taken):
        raise FaturistaError(Problem("cancel.cannot_withdraw", params={"cancellation": min(missing)}))
