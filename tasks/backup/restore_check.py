"""Compare a restored ledger with the provider: adopt what happened after the backup, or show it to a person.

The provider's document has no date on a batch, so list all batches of the emitters until two listings agree. There are
three cases of a batch that the ledger does not know:

* Its name is that of a batch which the backup had planned and not opened: adopt it, and look its notes up as usual.
* It is empty: ignore it.
* Its notes bill rows that the backup does not have. Such a row must never be billed again, so a person has to decide.

The third case includes product invoices beyond the numbers that the backup knows. If not all of them can be listed, a
person sees a warning before and after the ledger is freed.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.backup.audits import series_of
from connectors.ledger.backup.restorations import Restoration
from connectors.ledger.backup.restoring import distrust
from connectors.ledger.batches import BatchRecord
from connectors.ledger.parties import EmitterRecord
from domain.invoice_numbers import check_serie
from domain.issuing import RemoteBatch, RemoteInvoice
from domain.keys import batch_prefix, charge_key
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import Ending, StationResult, Subject
from tasks.backup.foreign_invoices import HIDDEN, UNSEEN, find_unrecorded_invoices, unlisted_problem
from tasks.issuance.emitters import remember_emitter
from tasks.issuance.listing import list_stably
from tasks.issuance.numbering import read_serie
from tasks.runtime import Context, Runtime

UNEXPLAINED: Final = "ledger.unexplained"
_STATION: Final = "compare"
_LASTING: Final = frozenset({UNSEEN, HIDDEN})
_UNOPENED: Final = frozenset({BatchState.PLANNED, BatchState.OPENING})
_UNISSUED: Final = frozenset(
    {*_UNOPENED, BatchState.OPEN, BatchState.STAGED, BatchState.APPROVED, BatchState.HELD, BatchState.SENDING}
)


def quarantined_since(context: Context) -> datetime | None:
    """Return when this ledger was restored, or None unless it still waits for its comparison with the provider."""
    waiting = context.ledger.read(restorations.quarantine_of)
    return None if waiting is None else waiting.restored_at


def quarantine_ledger(context: Context, *, person: str) -> None:
    """Put this ledger into quarantine as if it were restored: it issues nothing before its comparison.

    Raises `FaturistaError` if it is in quarantine already.
    """
    if not context.ledger.write(distrust, by=person):
        raise FaturistaError(Problem("ledger.quarantined"))


async def compare_restored(runtime: Runtime) -> StationResult:
    """Compare everything at the provider with the ledger; free the ledger if nothing is unexplained. Safe to repeat."""
    ledger = runtime.ledger
    waiting = await ledger.read_async(restorations.quarantine_of)
    if waiting is None:
        return StationResult(_STATION, Subject("ledger"))
    findings = await _findings(runtime, waiting)
    await ledger.write_async(quarantine.store_findings, findings)
    unexplained = [each for each in findings if each.code != quarantine.FOUND]
    if unexplained:
        await ledger.write_async(ledger_incidents.open_incident, code=UNEXPLAINED, params={"count": len(unexplained)})
        return StationResult(
            _STATION, Subject("ledger"), Ending.DISTURBED, {"unexplained": len(unexplained)}, tuple(unexplained)
        )
    await ledger.write_async(quarantine.free, by=runtime.worker, because="compared with the provider")
    await ledger.write_async(ledger_incidents.close_incidents, by=runtime.worker, code=UNEXPLAINED)
    return StationResult(_STATION, Subject("ledger"), Ending.DONE, {"adopted": len(findings)})


def lift_quarantine(context: Context, *, person: str, because: str) -> list[Problem]:
    """End the quarantine of a ledger because a person decided so. Return the warnings that remain (`UNSEEN`, `HIDDEN`).

    The series continue after the highest number that was found, so that no number is used twice. Raises
    `FaturistaError` if the ledger is not in quarantine, or has never been compared.
    """
    waiting = context.ledger.read(restorations.quarantine_of)
    if waiting is None:
        raise FaturistaError(Problem("ledger.not_quarantined"))
    if waiting.checked_at is None:
        raise FaturistaError(Problem("ledger.not_compared"))
    highest: dict[tuple[int, str], int] = {}
    for finding in waiting.findings:
        if {"emitter", "serie", "number"} <= finding.params.keys():
            place = int(finding.params["emitter"]), str(finding.params["serie"])
            highest[place] = max(highest.get(place, 0), int(finding.params["number"]))
    for (emitter_id, serie), number in highest.items():
        context.ledger.write(ledger_numbers.start_serie, emitter_id, serie, start=number + 1, by=person)
    context.ledger.write(quarantine.free, by=person, because=because)
    context.ledger.write(ledger_incidents.close_incidents, by=person, code=UNEXPLAINED)
    return [finding for finding in waiting.findings if finding.code in _LASTING]


async def _findings(runtime: Runtime, waiting: Restoration) -> list[Problem]:
    """Return what happened after the backup, as far as the provider shows it. `FOUND` names batches to adopt."""
    await _remember_issuers(runtime)
    plans = await _plans(runtime)
    findings: list[Problem] = []
    for emitter in await runtime.ledger.read_async(ledger_parties.emitters_all):
        capabilities = runtime.issuer(emitter.issuer).capabilities
        if capabilities.is_staged:
            held = await runtime.ledger.read_async(ledger_batches.batches_where)
            listed = await _list_batches_stably(runtime, emitter)
            findings += _vanished_batches(held, emitter, listed.keys())
            for remote_id in sorted(listed.keys() - {batch.remote_id for batch in held}):
                if listed[remote_id].counters.total:
                    findings += await _stranger_batch(runtime, emitter, listed[remote_id], plans)
        elif capabilities.can_list:
            findings += await find_unrecorded_invoices(runtime, emitter, waiting.taken_at)
        else:
            findings += await _unknowable(runtime, emitter, waiting.taken_at)
        findings += await _numbers(runtime, emitter)
    return findings


async def _remember_issuers(runtime: Runtime) -> None:
    """Store the emitters that the provider shows: one that the backup lacks may have billed since."""
    ledger = runtime.ledger
    known = {(each.issuer, each.cnpj) for each in await ledger.read_async(ledger_parties.emitters_all)}
    for name, issuer in runtime.issuers.issuers.items():
        if not (issuer.capabilities.is_staged or issuer.capabilities.can_list):
            continue
        for each in await issuer.emitters():
            if each.cnpj and (name, each.cnpj) not in known:
                await remember_emitter(runtime, issuer, each)


async def _plans(runtime: Runtime) -> dict[tuple[int, str], BatchRecord]:
    """Return the service batches that the backup has as unopened, by emitter id and by batch name without the nonce."""
    found = {}
    for batch in await runtime.ledger.read_async(ledger_batches.batches_where, states=_UNOPENED):
        if batch.is_staged:
            file = await runtime.ledger.read_async(ledger_files.file_of_reading, batch.reading_id)
            prefix = batch_prefix(
                competence=batch.competence, file_sha256=file.sha256, ordinal=batch.ordinal, revision=batch.revision
            )
            found[batch.emitter_id, prefix] = batch
    return found


async def _list_batches_stably(runtime: Runtime, emitter: EmitterRecord) -> dict[int, RemoteBatch]:
    """Return all batches of the emitter by id, from two listings that agree. Raises `FaturistaError`."""
    before: set[int] | None = None
    for _ in range(runtime.settings.protocol.listing_tries):
        own = {batch.id: batch for batch in await runtime.staging(emitter.issuer).batches(emitter.ref)}
        if before == own.keys():
            return own
        before = set(own)
    raise FaturistaError(Problem("restore.unstable"))


async def _stranger_batch(
    runtime: Runtime, emitter: EmitterRecord, batch: RemoteBatch, plans: dict[tuple[int, str], BatchRecord]
) -> list[Problem]:
    """Explain a batch that the ledger does not know: match it with a plan, or else report its notes.

    Compare the numbers besides the name: two plans of a sheet that was dropped twice differ only in the nonce. Report
    only the notes in our series.
    """
    notes = (await list_stably(runtime, runtime.staging(emitter.issuer), batch.id)).notes
    place = emitter.id, batch.name.rpartition(" ")[0]
    plan = plans.get(place)
    if plan is not None:
        planned = await runtime.ledger.read_async(ledger_invoices.invoices_of, plan.id)
        if {(note.serie, note.number) for note in notes} <= {(each.serie, each.number) for each in planned}:
            del plans[place]
            params: dict[str, str | int] = {"batch": plan.id, "name": batch.name, "remote": batch.id}
            return [Problem(quarantine.FOUND, params=params)]
    series = {each.serie for each in await runtime.ledger.read_async(series_of, emitter.id)}
    series.add(runtime.serie_of(emitter.issuer, emitter.cnpj))
    notes = tuple(sorted(notes, key=lambda each: (each.serie or "", each.number or 0)))
    return [_foreign_note_problem(emitter, batch, note) for note in notes if note.serie in series]


def _foreign_note_problem(emitter: EmitterRecord, batch: RemoteBatch, note: RemoteInvoice) -> Problem:
    service_cents = note.total_cents or 0
    params: dict[str, str | int] = {
        "emitter": emitter.id,
        "cnpj": emitter.cnpj,
        "serie": note.serie or "",
        "number": note.number or 0,
        "note": note.id,
        "batch": batch.name[:60],
        "status": note.status[:40],
        "amount": format_brl(service_cents),
    }
    if note.competence is not None and note.customer_document is not None and note.state is not InvoiceState.REJECTED:
        key_of = partial(
            charge_key,
            emitter_cnpj=emitter.cnpj,
            competence=note.competence,
            taker_document=note.customer_document,
        )
        # Holds any row of this customer in a sheet that we write again from contracts, even if the note is cancelled.
        params[restorations.CUSTOMER] = key_of(service_cents=None)
        if note.state is not InvoiceState.CANCELLED:
            # Holds a row with this charge if somebody drops its file again.
            params[restorations.CHARGE] = key_of(service_cents=service_cents)
    return Problem("restore.note_unknown", params=params)


def _vanished_batches(held: Sequence[BatchRecord], emitter: EmitterRecord, there: Collection[int]) -> list[Problem]:
    """Return a problem for each batch that the ledger follows and the provider does not list."""
    return [
        Problem("restore.batch_vanished", params={"batch": batch.id, "remote": batch.remote_id})
        for batch in held
        if batch.emitter_id == emitter.id and batch.remote_id is not None and batch.remote_id not in there
    ]


async def _unknowable(runtime: Runtime, issuer: EmitterRecord, taken_at: datetime) -> list[Problem]:
    """Return warnings for an issuer that shows no invoices: unsent batches of the backup may have been issued since."""
    unissued = await runtime.ledger.read_async(ledger_batches.batches_where, states=_UNISSUED)
    return [
        unlisted_problem(issuer, taken_at),
        *(
            Problem("restore.unknowable", params={"batch": batch.id, "count": batch.count})
            for batch in unissued
            if batch.emitter_id == issuer.id
        ),
    ]


async def _numbers(runtime: Runtime, emitter: EmitterRecord) -> list[Problem]:
    """Return a problem for each serie with a newest note that is not ours, and for each unexplained number.

    A number counts as ours once it is given: its note may have been posted after the backup, and the batches are
    compared note by note.
    """
    found = []
    for serie in await runtime.ledger.read_async(series_of, emitter.id):
        shown = await read_serie(runtime, emitter, serie.serie)
        given = max(serie.highest_posted, serie.next_number - 1)
        verdict = check_serie(shown, highest_posted=given, is_started=True, first_number=serie.first_number)
        where: dict[str, str | int] = {"emitter": emitter.id, "cnpj": emitter.cnpj, "serie": serie.serie}
        if verdict.problem is not None:
            latest = int(verdict.problem.params["latest"])
            found.append(Problem("restore.serie_ahead", params={**where, "number": latest}))
        holes = await runtime.ledger.read_async(ledger_numbers.audit_below, emitter.id, serie.serie, serie.next_number)
        found += [Problem("restore.number_unexplained", params={**where, "number": hole.number}) for hole in holes]
    return found
