"""Plan drafted invoices into batches of one emitter and competence."""

from collections import defaultdict
from contextlib import suppress
from datetime import date

from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.invoices import Draft
from domain.problems import Problem
from tasks.issuance.canary import pieces, split_canary
from tasks.issuance.numbering import UnusableSerie, batch_size, ready_serie
from tasks.runtime import Runtime


async def plan_drafts(runtime: Runtime, reading_id: int) -> list[int]:
    """Plan the reading's drafted invoices into batches of one emitter and competence. Return the batches' ids.

    Raises `FaturistaError` for an unusable serie, after the other emitters' drafts are planned.
    """
    ledger = runtime.ledger
    groups: defaultdict[tuple[int, date], list[Draft]] = defaultdict(list)
    for draft in await ledger.read_async(ledger_invoices.drafts_of, reading_id):
        groups[draft.emitter_id, draft.competence].append(draft)
    emitters = {record.id: record for record in await ledger.read_async(ledger_parties.emitters_all)}
    ordinal = len(await ledger.read_async(ledger_batches.batches_where, reading_id=reading_id))
    planned: list[int] = []
    problems: list[Problem] = []
    for (emitter_id, competence), drafts in sorted(groups.items()):
        try:
            serie = await ready_serie(runtime, emitters[emitter_id], count=len(drafts))
        except UnusableSerie as error:
            problems += [error.problem] if error.problem not in problems else []
            continue
        parts = await split_canary(runtime, reading_id, emitter_id, competence, drafts)
        for role, ids in pieces(parts, batch_size(runtime, emitters[emitter_id].issuer)):
            ordinal += 1
            batch_id = await ledger.write_async(
                ledger_batches.plan_batch,
                reading_id=reading_id,
                emitter_id=emitter_id,
                competence=competence,
                ordinal=ordinal,
                invoice_ids=ids,
                serie=serie,
                role=role,
            )
            planned += [] if batch_id is None else [batch_id]
    if problems:
        raise UnusableSerie(*problems)
    return planned


async def plan_drafts_if_possible(runtime: Runtime, reading_id: int) -> None:
    """Plan the drafts as `plan_drafts` does, but skip an unusable serie: the resumed reading will report it."""
    with suppress(UnusableSerie):
        await plan_drafts(runtime, reading_id)
