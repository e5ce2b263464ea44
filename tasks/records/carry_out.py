"""Carry out a planned write: record it in the ledger, send it once, record its outcome.

Look up a write whose answer was lost. Refuse the same write while it may still arrive and the provider does not show
it. After the quiet time the write counts as absent and may be requested again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Doubtful, Refused, Unreachable
from connectors.ledger import remote_changes
from connectors.ledger.remote_changes import DoneMeanwhile, Outcome, RequestedChange
from domain.competence import BRASILIA
from domain.problems import InputError, Problem
from tasks.records.kinds import OpenResource
from tasks.records.plans import RecordPlan, resolve_doubt

_NOT_SENT: Final = (Unreachable, Busy, Denied)


@dataclass(frozen=True, slots=True)
class Requester:
    """The person who asks for a change, and the reason."""

    name: str
    because: str


async def carry_out(opened: OpenResource, plan: RecordPlan, person: Requester) -> RecordPlan:
    """Carry out the plan and return its outcome.

    Raises `InputError` while the same write is in doubt, and those errors of `connectors.http.errors` that prove
    that nothing was sent.
    """
    ledger, digest = opened.context.ledger, plan.digest_in(opened.resource.kind)
    open_line = await ledger.read_async(remote_changes.open_change, digest)
    if open_line is not None:
        settled = await _settle(opened, plan, *open_line)
        if settled is not None:
            return replace(settled, problems=(Problem("record.was_done"),))
    if plan.status != "planned":
        return plan
    asked = RequestedChange(
        system=opened.resource.system,
        kind=opened.resource.kind,
        verb=plan.verb,
        subject=" ".join(plan.path),
        fields=sorted(plan.draft.values),
        digest=digest,
        asked_by=person.name,
        because=person.because,
    )
    try:
        change_id = await ledger.write_async(remote_changes.begin, asked)
    except DoneMeanwhile as done:
        # Another worker may have done it after this plan was made, and somebody may have changed the record since.
        looked = await resolve_doubt(opened, plan)
        if looked.status == "done":
            return replace(looked, problems=(Problem("record.was_done"),))
        change_id = await _begin_behind(opened, asked, done.line)
    if change_id is None:
        raise InputError(Problem("record.under_way"))
    return await _send(opened, plan, change_id)


async def _begin_behind(opened: OpenResource, asked: RequestedChange, known: int) -> int | None:
    """Open a journal entry for a write that was done before (entry `known`) and is requested again.

    Return None if another process opens one for the same write at this moment.
    """
    try:
        return await opened.context.ledger.write_async(remote_changes.begin, asked, known=known)
    except DoneMeanwhile:
        return None


async def _send(opened: OpenResource, plan: RecordPlan, change_id: int) -> RecordPlan:
    write = opened.resource.writes[plan.verb]
    try:
        made = await write.send(plan.path, plan.draft)
    except _NOT_SENT as error:
        if write.is_issuing and isinstance(error, Busy):
            return await _settle_lost_answer(opened, plan, change_id, error)
        await _end(opened, change_id, "not_sent", type(error).__name__)
        raise
    except (Refused, Disturbed) as error:
        if not _is_refusal(error):
            return await _settle_lost_answer(opened, plan, change_id, error)
        await _end(opened, change_id, "refused", str(error.status or ""))
        found = [*error.details, *_messages(error)]
        return replace(plan, status="refused", problems=tuple(found) or (error.problem,))
    except Doubtful as error:
        return await _settle_lost_answer(opened, plan, change_id, error)
    path = plan.path if made is None else made.path
    await _end(opened, change_id, "done", " ".join(path))
    return replace(plan, status="done", path=path, name=plan.name if made is None else made.name)


def _messages(error: ConnectorError) -> Iterator[Problem]:
    """Yield the provider's messages, one Problem each."""
    for field, texts in error.messages.items():
        for text in texts:
            yield Problem("record.bad_field", params={"name": field or "–", "reason": text.rstrip(".")})


def _is_refusal(error: ConnectorError) -> bool:
    """Return whether the provider itself refused, so that it stored nothing."""
    return error.remote_id is None and error.status is not None and 400 <= error.status < 500


async def _settle_lost_answer(
    opened: OpenResource, plan: RecordPlan, change_id: int, error: ConnectorError
) -> RecordPlan:
    """Read the record once after a lost answer. The journal's entry stays open unless the provider shows the write."""
    looked = await resolve_doubt(opened, plan)
    if looked.status == "done":
        await _end(opened, change_id, "done", "seen")
        return looked
    return replace(plan, status="doubtful", problems=(error.problem, Problem("record.doubt", params={"id": change_id})))


async def _settle(
    opened: OpenResource, plan: RecordPlan, line: remote_changes.RemoteChange, age_s: float
) -> RecordPlan | None:
    """Return the outcome of an earlier request of the same write, or None if it was not done.

    Raises `InputError` while that is unknown.
    """
    write, protocol = opened.resource.writes[plan.verb], opened.context.settings.protocol
    looked = await resolve_doubt(opened, plan)
    if looked.status == "done":
        await _end(opened, line.id, "done", "seen")
        return looked
    quiet_s = protocol.quiet_for(is_staged=not write.is_issuing)
    if age_s < quiet_s:
        until = line.begun_at + timedelta(seconds=quiet_s)
        at = f"{until.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}"
        raise InputError(Problem("record.waits_for_doubt", params={"id": line.id, "until": at}))
    if looked.status == "doubtful" and not write.is_repeatable:
        raise InputError(Problem("record.never_known", params={"id": line.id}))
    await _end(opened, line.id, "absent", None)
    return None


async def _end(opened: OpenResource, change_id: int, outcome: Outcome, answered: str | None) -> None:
    await opened.context.ledger.write_async(remote_changes.end, change_id, outcome, answered)
