"""Find differences between a month and the month before, and record their acknowledgement before an approval.

The digest of its whole content identifies a finding. A person acknowledges one amount and one customer:
a change of either makes a new finding, which needs a new acknowledgement.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from connectors.ledger import acknowledgements as ledger_acknowledgements
from connectors.ledger.acknowledgements import Acknowledgement, NewAcknowledgement
from connectors.ledger.batches import BatchRecord
from connectors.ledger.staff import records as staff_records
from domain.forecasts.month_comparison import Change
from domain.keys import canonical_json, content_digest
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission
from tasks.approvals.changes import changes_of
from tasks.approvals.four_eyes import refuse_dropper
from tasks.runtime import Context

ALL: Final = "all"
"""A person types this instead of codes to acknowledge every finding."""
_CODE_LENGTH: Final = 8
_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference from the month before.

    `line` is the acknowledgement to store, `acknowledged` the stored one with person and reason, or None.
    """

    reading_id: int
    change: Change
    line: NewAcknowledgement
    acknowledged: Acknowledgement | None

    @property
    def code(self) -> str:
        """Return the code that a person types."""
        return self.line.finding[:_CODE_LENGTH]


def findings_of(context: Context, batches: Iterable[BatchRecord]) -> list[Finding]:
    """Return the findings of each reading, emitter and month among these batches; of each, the gravest first.

    Differences of customers who are in none of these batches are left out.
    """
    groups: defaultdict[tuple[int, int, date], list[BatchRecord]] = defaultdict(list)
    for each in batches:
        groups[each.reading_id, each.emitter_id, each.competence].append(each)
    return [finding for group in groups.values() for finding in _findings(context, group)]


def acknowledge(
    context: Context,
    batches: Sequence[BatchRecord],
    codes: Collection[str],
    *,
    actor: Actor,
    because: str,
) -> int:
    """Record that a person acknowledges findings of these batches. Return the number of new acknowledgements.

    Args:
        context: The open profile; no provider is needed.
        batches: Batches that wait for approval.
        codes: Codes of findings, or `ALL`.
        actor: The acknowledging person.
        because: The reason.

    Raises:
        FaturistaError: There is no finding of this code; the person may not approve, or dropped the sheet and four eyes
            are wanted.
    """
    context.ledger.write(staff_records.check_enrolment, actor, Permission.APPROVE)
    for batch in batches:
        refuse_dropper(context, batch, actor)
    chosen = chosen_findings(findings_of(context, batches), codes)
    return sum(
        context.ledger.write(
            ledger_acknowledgements.acknowledge,
            reading_id,
            [finding.line for finding in chosen if finding.reading_id == reading_id],
            person=actor.signature,
            because=because,
        )
        for reading_id in sorted({finding.reading_id for finding in chosen})
    )


def chosen_findings(findings: Sequence[Finding], codes: Iterable[str]) -> list[Finding]:
    """Return the findings of these codes, or every one for `ALL`. Raise `FaturistaError` for an unknown code."""
    asked = {code.strip().lower() for code in codes}
    if unknown := asked - {finding.code for finding in findings} - {ALL}:
        raise FaturistaError(Problem("approval.unknown_finding", params={"finding": min(unknown)[:40]}))
    return [finding for finding in findings if ALL in asked or finding.code in asked]


def refuse_unacknowledged(findings: Iterable[Finding], chosen: Collection[Finding] = ()) -> None:
    """Raise `FaturistaError`, with their codes, for findings that are neither acknowledged nor in `chosen`."""
    now = {finding.line.finding for finding in chosen}
    open_ones = (each for each in findings if each.acknowledged is None and each.line.finding not in now)
    # Several batches of one month have the same finding; one acknowledgement covers all.
    left = list(dict.fromkeys(each.code for each in open_ones))
    if left:
        named = ", ".join([*left[:_NAMED], *(["…"] if len(left) > _NAMED else [])])
        params: dict[str, str | int] = {"count": len(left), "finding": left[0], "findings": named}
        raise FaturistaError(Problem("approval.unacknowledged", params=params))


def _findings(context: Context, batches: Sequence[BatchRecord]) -> Iterator[Finding]:
    changes, takers = changes_of(context, batches)
    batch = batches[0]
    known = context.ledger.read(ledger_acknowledgements.acknowledgements_of, batch.reading_id) if changes else {}
    for change in changes:
        values: dict[str, Any] = {
            "change": change.kind,
            "emitter_id": batch.emitter_id,
            "competence": batch.competence,
            "taker_id": takers.get(change.taker_document),
            "template": change.template,
            "cents_before": change.cents_before,
            "cents": change.cents,
        }
        digest = content_digest(canonical_json({**values, "competence": batch.competence.isoformat()}))
        yield Finding(batch.reading_id, change, NewAcknowledgement(finding=digest, **values), known.get(digest))
