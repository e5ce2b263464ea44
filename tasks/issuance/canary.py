"""Send the first invoices of a new template, city, month or emitter alone; hold the rest until they are accepted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from connectors.ledger import canaries as ledger_canaries
from connectors.ledger.canaries import Role, Verdict
from connectors.ledger.invoices import Draft
from domain.problems import Problem
from domain.states import BatchState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import LeasedBatch
from tasks.runtime import Runtime

_CANARY: Final[Role] = "canary"
_REST: Final[Role] = "rest"
_LONGEST_REASON: Final = 200
AGAIN_S: Final = 3_600
"""Seconds until the next look at a batch with a rejected canary, which only a person releases."""


async def split_canary(
    runtime: Runtime, reading_id: int, emitter_id: int, competence: date, drafts: Sequence[Draft]
) -> list[tuple[Role, list[int]]]:
    """Split the drafts of one emitter and month into canary and rest, or return them whole. Return ids by role.

    If the reading has a canary of this emitter and month already, planned before a crash, new drafts belong to the
    rest, except those that repeat an invoice of the canary.
    """
    size = runtime.settings.protocol.canary_notes
    whole = [draft.id for draft in drafts]
    if not size:
        return [("plain", whole)]
    if await runtime.ledger.read_async(ledger_canaries.has_canary, reading_id, emitter_id, competence):
        again = [draft.id for draft in drafts if draft.repeats_canary]
        left = [draft.id for draft in drafts if not draft.repeats_canary]
        return [(role, ids) for role, ids in ((_CANARY, again), (_REST, left)) if ids]
    templates = {draft.template_id for draft in drafts if draft.template_id is not None}
    known = await runtime.ledger.read_async(ledger_canaries.find_proven, emitter_id, competence, templates)
    taken: Counter[int | None] = Counter()
    canary: list[int] = []
    for place, draft in enumerate(drafts):
        is_first = known.is_new(draft.template_id) and taken[draft.template_id] < size
        if is_first or (known.is_new_group and place < size):
            canary.append(draft.id)
            taken[draft.template_id] += 1
    rest = [each for each in whole if each not in set(canary)]
    if not canary or not rest:
        return [("plain", whole)]
    return [("canary", canary), ("rest", rest)]


def pieces(parts: Iterable[tuple[Role, Sequence[int]]], size: int) -> Iterator[tuple[Role, Sequence[int]]]:
    """Split each part into pieces of at most `size` invoices."""
    for role, ids in parts:
        for start in range(0, len(ids), size):
            yield role, ids[start : start + size]


async def hold_for_canary(leased: LeasedBatch) -> StationResult | None:
    """Hold an approved batch until its canary is accepted. Return the report, or None if it may be sent now."""
    batch, ledger = leased.batch, leased.runtime.ledger
    if not batch.waits_for_canary:
        return None
    group = batch.reading_id, batch.emitter_id, batch.competence
    verdict = await ledger.read_async(ledger_canaries.verdict_of, *group)
    if batch.state is BatchState.APPROVED:
        if verdict is Verdict.ACCEPTED:
            return None
        await ledger.write_async(ledger_canaries.hold, leased.lease)
    elif verdict is Verdict.ACCEPTED:
        await ledger.write_async(ledger_canaries.let_go, leased.lease, because="its canary was accepted")
        leased.batch = replace(batch, state=BatchState.APPROVED, waits_for_canary=False)
        return None
    if verdict is Verdict.OPEN:
        return await leased.wait(
            leased.runtime.settings.reconcile.looks_s[0], Problem("canary.open", params={"batch": batch.id})
        )
    problem = await _stop_problem(leased)
    await leased.open_incident(problem)
    return await leased.wait(AGAIN_S, problem)


async def _stop_problem(leased: LeasedBatch) -> Problem:
    """Return why the batch's canary was not accepted: in the city's words, or who took it back."""
    batch, ledger = leased.batch, leased.runtime.ledger
    group = batch.reading_id, batch.emitter_id, batch.competence
    params: dict[str, str | int] = {"batch": batch.id, "count": batch.count}
    errors = await ledger.read_async(ledger_canaries.first_errors, *group)
    messages = "; ".join(_words(error) for error in errors if "params" not in error)[:_LONGEST_REASON]
    if messages:
        return Problem(ledger_canaries.REJECTED, params=params | {"message": messages})
    canary, reason, is_refused = await ledger.read_async(ledger_canaries.last_canary, *group)
    params["canary"] = canary
    if is_refused:
        return Problem(ledger_canaries.REFUSED, params=params)
    if reason:
        return Problem(ledger_canaries.WITHDRAWN, params=params | {"reason": reason})
    return Problem(ledger_canaries.REJECTED, params=params | {"message": "-"})


def _words(error: Mapping[str, Any]) -> str:
    """Return a city's message as one text: code and description."""
    return ": ".join(filter(None, (str(error.get("code") or ""), str(error.get("description") or ""))))
