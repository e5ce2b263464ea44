"""Numbers and batches: drafted invoices get the next numbers of a serie that is shown to be ours alone."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup.quarantine import quarantine_of
from connectors.ledger.parties import EmitterRecord
from domain.problems import FaturistaError, Problem
from domain.products.keys import parse_access_key
from domain.rps import SerieReading, check_serie, number_problem, number_rules
from tasks.runtime import SERVICE, Runtime

_NEWEST: Final = 100


class UnusableSerie(FaturistaError):
    """No number of this serie may be given out before a person has decided."""


@dataclass(frozen=True, slots=True)
class NextNumbers:
    """The serie of an emitter and its next number; `is_unused`: nobody has ever used it."""

    serie: str
    first: int
    is_unused: bool


async def plan_drafts(runtime: Runtime, reading_id: int) -> list[int]:
    """Plan the reading's drafted invoices into batches of one emitter and competence; the batches' ids.

    Raises `FaturistaError` when a serie cannot be used, but only once the other emitters' drafts are planned.
    """
    ledger = runtime.ledger
    groups: defaultdict[tuple[int, date], list[int]] = defaultdict(list)
    for draft in await ledger.reading(ledger_invoices.drafts_of, reading_id):
        groups[draft.emitter_id, draft.competence].append(draft.id)
    emitters = {record.id: record for record in await ledger.reading(ledger_parties.emitters_all)}
    ordinal = len(await ledger.reading(ledger_batches.batches_where, reading_id=reading_id))
    size = runtime.settings.protocol.batch_size
    planned: list[int] = []
    problems: list[Problem] = []
    for (emitter_id, competence), drafts in sorted(groups.items()):
        try:
            serie = await ready_serie(runtime, emitters[emitter_id], count=len(drafts))
        except UnusableSerie as error:
            problems += [error.problem] if error.problem not in problems else []
            continue
        for start in range(0, len(drafts), size):
            ordinal += 1
            batch_id = await ledger.writing(
                ledger_batches.plan_batch,
                reading_id=reading_id,
                emitter_id=emitter_id,
                competence=competence,
                ordinal=ordinal,
                invoice_ids=drafts[start : start + size],
                serie=serie,
                kind=emitters[emitter_id].kind,
            )
            planned += [] if batch_id is None else [batch_id]
    if problems:
        raise UnusableSerie(*problems)
    return planned


async def plan_drafts_if_possible(runtime: Runtime, reading_id: int) -> None:
    """The same on the way through other work; where a serie cannot be used, whoever resumes the reading says so."""
    with suppress(UnusableSerie):
        await plan_drafts(runtime, reading_id)


async def ready_serie(runtime: Runtime, emitter: EmitterRecord, *, count: int) -> str:
    """The emitter's serie, shown to be ours alone and long enough for `count` more numbers; started at first use.

    Raises `UnusableSerie` when somebody else uses it: a person confirms a new start or gives us another serie.
    """
    found = await next_numbers(runtime, emitter, count=count)
    if found.is_unused:
        await runtime.ledger.writing(
            ledger_numbers.start_serie, emitter.id, found.serie, start=found.first, by="first use, unused before"
        )
    return found.serie


async def next_numbers(runtime: Runtime, emitter: EmitterRecord, *, count: int) -> NextNumbers:
    """Where the emitter's next `count` numbers would begin; nothing is reserved. Raises `UnusableSerie`."""
    settings = runtime.settings
    is_service = emitter.kind == SERVICE
    serie = settings.series.of(emitter.cnpj) if is_service else settings.products.serie_of(emitter.kind)
    if await runtime.ledger.reading(quarantine_of) is not None:
        raise UnusableSerie(Problem("ledger.quarantined"))
    # the provider first: what another worker posts meanwhile is in our own record then, and never looks foreign
    shown = await read_serie(runtime, emitter, serie)
    ours = await runtime.ledger.reading(ledger_numbers.serie_of, emitter.id, serie)
    verdict = check_serie(
        shown,
        highest_posted=0 if ours is None else ours.highest_posted,
        is_started=ours is not None,
        first_number=1 if ours is None else ours.first_number,
    )
    if verdict.problem is not None:
        where = {"cnpj": emitter.cnpj, "serie": serie, **verdict.problem.params}
        raise UnusableSerie(Problem(verdict.problem.code, "serie", params=where))
    first = (verdict.start or 1) if ours is None else ours.next_number
    exhausted = number_problem(first + count - 1, number_rules(emitter.kind))
    if exhausted is not None:
        raise UnusableSerie(exhausted)
    return NextNumbers(serie, first, is_unused=ours is None)


async def read_serie(runtime: Runtime, emitter: EmitterRecord, serie: str) -> SerieReading:
    """What the provider shows of a serie of this emitter."""
    read = _read_service_serie if emitter.kind == SERVICE else _read_product_serie
    return await read(runtime, emitter, serie)


async def _read_service_serie(runtime: Runtime, emitter: EmitterRecord, serie: str) -> SerieReading:
    """What the provider's series record shows of a serie of service notes."""
    remote = await runtime.nfse.emitters.serie(emitter.remote_id, serie)
    if remote is None:
        return SerieReading(None, None)
    is_ours = await _is_ours(runtime, emitter, serie, remote.latest_number, remote.latest_note_id)
    return SerieReading(remote.latest_number, is_ours)


async def _read_product_serie(runtime: Runtime, emitter: EmitterRecord, serie: str) -> SerieReading:
    """What the newest product invoices show: there is no series record, and without the extensions nothing at all."""
    if not runtime.nfe.extensions:
        return SerieReading(None, None)
    calls = runtime.nfe.of_kind("nfe" if emitter.kind == "nfe" else "nfce")
    newest = await calls.latest(emitter.remote_id, limit=_NEWEST)
    keys = {invoice.id: parse_access_key(invoice.access_key) for invoice in newest if invoice.access_key}
    ours = (emitter.cnpj, emitter.kind, serie)
    told = {found: key for found, key in keys.items() if key and (key.cnpj, key.kind, str(key.serie)) == ours}
    used = {key.number: found for found, key in told.items()}
    if not used:
        return SerieReading(None, None)
    return SerieReading(max(used), await _is_ours(runtime, emitter, serie, max(used), used[max(used)]))


async def _is_ours(
    runtime: Runtime, emitter: EmitterRecord, serie: str, number: int | None, remote_id: int | None
) -> bool | None:
    if remote_id is None:
        return None
    return await runtime.ledger.reading(ledger_numbers.is_ours, emitter.id, serie, number or 0, remote_id=remote_id)
