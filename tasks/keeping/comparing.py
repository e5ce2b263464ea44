"""A restored ledger against the provider: what happened after the copy was taken is taken up, or shown to a person.

The document has no date on a batch, so all batches of the emitters are listed, until two listings agree. One that the
ledger does not know is either a batch of a plan that the copy knew as not yet opened (its name says so: it is taken up,
its notes are looked for by the protocol), or it is empty, or its notes need an explanation that only a person has:
rows that were billed after the copy, which must never be billed again. So do product invoices beyond the numbers that
the copy knows; where not all can be listed, a person is told so before the ledger is freed, and when it is.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup import quarantine
from connectors.ledger.backup.audits import series_of
from connectors.ledger.backup.quarantine import Restoration
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import Kind
from connectors.ledger.parties import EmitterRecord
from connectors.nfe.organizations import Organization
from connectors.nfse.batches import Batch
from connectors.nfse.emitters import Emitter
from connectors.nfse.notes import Note
from domain.keys import batch_prefix, charge_key
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.rps import check_serie
from domain.states import BatchState
from domain.tallies import Ending, Tally
from tasks.products.lost import HIDDEN, UNSEEN, lost_invoices, unseen
from tasks.protocol.listing import list_stably
from tasks.protocol.numbering import read_serie
from tasks.runtime import SERVICE, Desk, Runtime

UNEXPLAINED: Final = "ledger.unexplained"
_STATION: Final = "compare"
_LASTING: Final = frozenset({UNSEEN, HIDDEN})
_PRODUCTS: Final[tuple[Kind, ...]] = ("nfe", "nfce")
_DEAD: Final = frozenset({"rejected", "cancelled"})
_UNOPENED: Final = frozenset({BatchState.PLANNED, BatchState.OPENING})
_UNISSUED: Final = frozenset({*_UNOPENED, BatchState.OPEN, BatchState.STAGED, BatchState.APPROVED, BatchState.SENDING})


def waiting_since(desk: Desk) -> datetime | None:
    """When this ledger was restored, if it waits to be compared with the provider; an aware instant."""
    waiting = desk.ledger.read(quarantine.quarantine_of)
    return None if waiting is None else waiting.restored_at


async def compare_restored(runtime: Runtime) -> Tally:
    """Look at all that the provider has; with nothing left unexplained the ledger is freed. Safe to repeat."""
    ledger = runtime.ledger
    waiting = await ledger.reading(quarantine.quarantine_of)
    if waiting is None:
        return Tally(_STATION, "ledger")
    findings = await _findings(runtime, waiting)
    await ledger.writing(quarantine.note_findings, findings)
    unexplained = [each for each in findings if each.code != quarantine.FOUND]
    if unexplained:
        await ledger.writing(ledger_incidents.open_incident, code=UNEXPLAINED, params={"count": len(unexplained)})
        return Tally(_STATION, "ledger", Ending.DISTURBED, {"unexplained": len(unexplained)}, tuple(unexplained))
    await ledger.writing(quarantine.free, by=runtime.worker, because="compared with the provider")
    await ledger.writing(ledger_incidents.close_incidents, by=runtime.worker, code=UNEXPLAINED)
    return Tally(_STATION, "ledger", Ending.DONE, {"adopted": len(findings)})


def free_ledger(desk: Desk, *, person: str, because: str) -> list[Problem]:
    """A person has looked at each finding and answers for it: what they must go on heeding. Raises `FaturistaError`.

    The series go on after the highest number that was found: no number is given a second time.
    """
    waiting = desk.ledger.read(quarantine.quarantine_of)
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
        desk.ledger.write(ledger_numbers.start_serie, emitter_id, serie, start=number + 1, by=person)
    desk.ledger.write(quarantine.free, by=person, because=because)
    desk.ledger.write(ledger_incidents.close_incidents, by=person, code=UNEXPLAINED)
    return [finding for finding in waiting.findings if finding.code in _LASTING]


async def _findings(runtime: Runtime, waiting: Restoration) -> list[Problem]:
    """What happened after the copy, as far as the provider shows it; batches to be taken up are named by `FOUND`."""
    await _remember_issuers(runtime)
    plans = await _plans(runtime)
    findings: list[Problem] = []
    for emitter in await runtime.ledger.reading(ledger_parties.emitters_all):
        if emitter.kind == SERVICE:
            held = await runtime.ledger.reading(ledger_batches.batches_where)
            listed = await _listed(runtime, emitter)
            findings += _vanished(held, emitter, listed.keys())
            for remote_id in sorted(listed.keys() - {batch.remote_id for batch in held}):
                if listed[remote_id].counters.total:
                    findings += await _stranger_batch(runtime, emitter, listed[remote_id], plans)
        elif runtime.settings.products.extensions:
            findings += await lost_invoices(runtime, emitter, waiting.taken_at)
        else:
            findings += await _unknowable(runtime, emitter, waiting.taken_at)
        findings += await _numbers(runtime, emitter)
    return findings


async def _remember_issuers(runtime: Runtime) -> None:
    """Whom the copy does not know may have billed after it: all that the provider has are taken into the ledger."""
    ledger, settings = runtime.ledger, runtime.settings
    known = {(each.kind, each.cnpj) for each in await ledger.reading(ledger_parties.emitters_all)}
    there: list[tuple[Kind, Emitter | Organization]] = [(SERVICE, each) for each in await runtime.nfse.emitters.all()]
    if settings.products.base_url and settings.products.extensions:
        shops = await runtime.nfe.organizations.all()
        there += [(kind, each) for each in shops for kind in _PRODUCTS]
    for kind, each in there:
        if each.cnpj and (kind, each.cnpj) not in known:
            await ledger.writing(ledger_parties.upsert_emitter, kind=kind, **_seen(each))


def _seen(issuer: Emitter | Organization) -> dict[str, Any]:
    if isinstance(issuer, Emitter):
        told = {"name": issuer.social_reason, "city_code": issuer.city_code or "", "is_active": issuer.is_active}
    else:
        city_code = (issuer.address.city_code if issuer.address else None) or ""
        told = {"name": issuer.legal_name, "city_code": city_code, "is_active": True}
    return {"remote_id": issuer.id, "cnpj": issuer.cnpj, **told}


async def _plans(runtime: Runtime) -> dict[tuple[int, str], BatchRecord]:
    """Service batches that the copy knew as not yet opened, by emitter and the part of the name that is no nonce."""
    found = {}
    for batch in await runtime.ledger.reading(ledger_batches.batches_where, states=_UNOPENED):
        if batch.kind == SERVICE:
            file = await runtime.ledger.reading(ledger_files.file_of_reading, batch.reading_id)
            prefix = batch_prefix(
                competence=batch.competence, file_sha256=file.sha256, ordinal=batch.ordinal, revision=batch.revision
            )
            found[batch.emitter_id, prefix] = batch
    return found


async def _listed(runtime: Runtime, emitter: EmitterRecord) -> dict[int, Batch]:
    """All batches of the emitter by id, from two listings that agree. Raises `FaturistaError`."""
    before: set[int] | None = None
    for _ in range(runtime.settings.protocol.listing_tries):
        listed = await runtime.nfse.batches.all(emitter_id=emitter.remote_id)
        own = {batch.id: batch for batch in listed if batch.emitter_id == emitter.remote_id}
        if before == own.keys():
            return own
        before = set(own)
    raise FaturistaError(Problem("restore.unstable"))


async def _stranger_batch(
    runtime: Runtime, emitter: EmitterRecord, batch: Batch, plans: dict[tuple[int, str], BatchRecord]
) -> list[Problem]:
    """What a batch is that nobody here knows: that of a plan, by name and by every number in it, else its notes.

    A sheet that was dropped twice gave two plans one name but for the nonce. Of its notes those are told that bear a
    number of a serie of ours.
    """
    notes = (await list_stably(runtime, batch.id)).notes
    place = emitter.id, batch.name.rpartition(" ")[0]
    plan = plans.get(place)
    if plan is not None:
        planned = await runtime.ledger.reading(ledger_invoices.invoices_of, plan.id)
        if {(note.serie, note.number) for note in notes} <= {(each.serie, each.number) for each in planned}:
            del plans[place]
            params: dict[str, str | int] = {"batch": plan.id, "name": batch.name, "remote": batch.id}
            return [Problem(quarantine.FOUND, params=params)]
    series = {each.serie for each in await runtime.ledger.reading(series_of, emitter.id)}
    series.add(runtime.settings.series.of(emitter.cnpj))
    notes = tuple(sorted(notes, key=lambda each: (each.serie or "", each.number or 0)))
    return [_stranger(emitter, batch, note) for note in notes if note.serie in series]


def _stranger(emitter: EmitterRecord, batch: Batch, note: Note) -> Problem:
    service_cents = note.amounts.get("service_amount", 0)
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
    if note.competence is not None and note.taker_document is not None and note.status not in _DEAD:
        # a row that asks for the same is held back, should somebody drop the file again
        params[quarantine.CHARGE] = charge_key(
            emitter_cnpj=emitter.cnpj,
            competence=note.competence,
            taker_document=note.taker_document,
            service_cents=service_cents,
        )
    return Problem("restore.note_unknown", params=params)


def _vanished(held: Sequence[BatchRecord], emitter: EmitterRecord, there: Collection[int]) -> list[Problem]:
    """Batches that the ledger follows and the provider does not list: perhaps another provider's ledger."""
    return [
        Problem("restore.batch_vanished", params={"batch": batch.id, "remote": batch.remote_id})
        for batch in held
        if batch.emitter_id == emitter.id and batch.remote_id is not None and batch.remote_id not in there
    ]


async def _unknowable(runtime: Runtime, issuer: EmitterRecord, taken_at: datetime) -> list[Problem]:
    """Product invoices that may have been issued after the copy, where nothing can be looked up."""
    unissued = await runtime.ledger.reading(ledger_batches.batches_where, states=_UNISSUED)
    return [
        unseen(issuer, taken_at),
        *(
            Problem("restore.unknowable", params={"batch": batch.id, "count": batch.count})
            for batch in unissued
            if batch.emitter_id == issuer.id
        ),
    ]


async def _numbers(runtime: Runtime, emitter: EmitterRecord) -> list[Problem]:
    """The audit of each serie: nothing at the provider above what we gave out, and nothing of ours unexplained.

    The newest note there may be one of ours that the copy knew as not posted: its batch is compared note by note.
    """
    found = []
    for serie in await runtime.ledger.reading(series_of, emitter.id):
        shown = await read_serie(runtime, emitter, serie.serie)
        given = max(serie.highest_posted, serie.next_number - 1)
        verdict = check_serie(shown, highest_posted=given, is_started=True, first_number=serie.first_number)
        where: dict[str, str | int] = {"emitter": emitter.id, "cnpj": emitter.cnpj, "serie": serie.serie}
        if verdict.problem is not None:
            latest = int(verdict.problem.params["latest"])
            found.append(Problem("restore.serie_ahead", params={**where, "number": latest}))
        holes = await runtime.ledger.reading(ledger_numbers.audit_below, emitter.id, serie.serie, serie.next_number)
        found += [Problem("restore.number_unexplained", params={**where, "number": hole.number}) for hole in holes]
    return found
