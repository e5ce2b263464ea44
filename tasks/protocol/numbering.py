"""Numbers and batches: drafted invoices get the next numbers of a serie that is shown to be ours alone."""

from collections import defaultdict
from contextlib import suppress
from datetime import date

from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.parties import EmitterRecord
from domain.problems import FaturistaError, Problem
from domain.rps import SerieReading, check_serie, number_problem
from tasks.runtime import Runtime


class UnusableSerie(FaturistaError):
    """No number of this serie may be given out before a person has decided."""


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
    """The emitter's serie, shown to be ours alone and long enough for `count` more numbers.

    Raises `UnusableSerie` when somebody else uses it: a person confirms a new start or gives us another serie.
    """
    ledger = runtime.ledger
    serie = runtime.settings.series.of(emitter.cnpj)
    remote = await runtime.nfse.emitters.serie(emitter.remote_id, serie)
    ours = await ledger.reading(ledger_numbers.serie_of, emitter.id, serie)
    note_id = None if remote is None else remote.latest_note_id
    is_ours = None if note_id is None else await ledger.reading(ledger_numbers.is_ours, emitter.id, note_id)
    verdict = check_serie(
        SerieReading(None if remote is None else remote.latest_number, is_ours),
        highest_posted=0 if ours is None else ours.highest_posted,
        is_started=ours is not None,
        first_number=1 if ours is None else ours.first_number,
    )
    if verdict.problem is not None:
        where = {"cnpj": emitter.cnpj, "serie": serie, **verdict.problem.params}
        raise UnusableSerie(Problem(verdict.problem.code, "serie", params=where))
    if ours is None:
        ours = await ledger.writing(
            ledger_numbers.start_serie, emitter.id, serie, start=verdict.start or 1, by="first use, unused before"
        )
    exhausted = number_problem(ours.next_number + count - 1)
    if exhausted is not None:
        raise UnusableSerie(exhausted)
    return serie
