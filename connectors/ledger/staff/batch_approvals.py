"""Approve several batches in one transaction within a person's limit; store codes for one such approval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from connectors.ledger import acknowledgements, cancellations, tables
from connectors.ledger.acknowledgements import NewAcknowledgement
from connectors.ledger.approvals import Approval, approve
from connectors.ledger.batches import BatchRecord
from connectors.ledger.database.sql import clock
from connectors.ledger.replacements import reduced_by
from connectors.ledger.staff.records import StaffRecord, check_enrolment, journal, refuse_amount, staff_of
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission

_codes = tables.staff_codes
_given = tables.approvals
_batches = tables.batches

WINDOW_S: Final = 86_400.0
"""Seconds within which a person's approvals for one company and month are summed, so that splitting evades no limit."""


@dataclass(frozen=True, slots=True)
class Redeemed:
    """A redeemed code: its owner, and by batch the digest of the content that it approves."""

    staff: StaffRecord
    batches: Mapping[int, str]


def approve_all(
    conn: sa.Connection,
    actor: Actor,
    shown: Sequence[tuple[BatchRecord, Sequence[str]]],
    news: Sequence[tuple[int, NewAcknowledgement]] = (),
    *,
    because: str = "",
) -> list[Approval]:
    """Approve all of these batches as the person saw them, or none.

    `shown` has each batch with the digests of its acknowledged findings. `news` are (reading, finding) that the person
    acknowledges in the same transaction, with the reason `because`. Raises `FaturistaError` if the person may not
    approve them, and `NotApprovable` if a batch has changed.
    """
    found = check_enrolment(conn, actor, Permission.APPROVE) if not actor.is_automatic else None
    if found is not None:
        refuse_amount(conn, found, _amount(conn, found.id, [batch for batch, _ in shown]))
    for reading_id, line in news:
        acknowledgements.acknowledge(conn, reading_id, [line], person=actor.signature, because=because)
    readings = {batch.reading_id for batch, findings in shown if findings}
    known = {reading_id: acknowledgements.acknowledgements_of(conn, reading_id) for reading_id in readings}
    return [
        approve(
            conn,
            batch.id,
            revision=batch.revision,
            digest=batch.digest or "",
            count=batch.count,
            total_cents=batch.total_cents,
            approver=actor.signature,
            staff_id=actor.staff_id,
            acknowledgements=[known[batch.reading_id][finding].id for finding in findings],
        )
        for batch, findings in sorted(shown, key=lambda each: each[0].id)
    ]


def request_cancellations(
    conn: sa.Connection, actor: Actor, wanted: Sequence[tuple[Sequence[int], str]], *, approves: bool
) -> list[int]:
    """Store cancellations of these invoices, each group with its reason, and approve them if `approves`.

    One transaction does both, so that no crash leaves a request waiting for a person whom nobody asks. Return the ids
    of the new cancellations. Raises as `approve_cancellations` does.
    """
    ids = [
        each
        for notes, reason in wanted
        for each in cancellations.request(conn, notes, reason=reason, by=actor.signature)
    ]
    if approves:
        approve_cancellations(conn, actor, ids)
    return ids


def approve_cancellations(conn: sa.Connection, actor: Actor, ids: Sequence[int]) -> list[int]:
    """Approve cancellations. Return the ids that this call approved.

    Raises `FaturistaError` if the person may not approve, or if the sum exceeds the person's limit.
    """
    found = check_enrolment(conn, actor, Permission.APPROVE)
    approved = cancellations.approve(conn, ids, by=actor.signature)
    if found is not None:
        cents = cancellations.cents_approved(conn, approved, by=actor.signature, since=clock(conn, plus_s=-WINDOW_S))
        refuse_amount(conn, found, cents)
    return approved


def check_amount(conn: sa.Connection, actor: Actor, batches: Sequence[BatchRecord]) -> None:
    """Raise `FaturistaError` if these batches exceed the person's limit. `approve_all` checks it again."""
    if actor.staff_id is not None:
        refuse_amount(conn, staff_of(conn, actor.staff_id), _amount(conn, actor.staff_id, batches))


def _amount(conn: sa.Connection, staff_id: int, batches: Sequence[BatchRecord]) -> int:
    """Return the cents that an approval of these batches counts against the person's limit.

    They are the batches' totals, the person's approvals within `WINDOW_S` for the same companies and months, and the
    sum by which replacements reduce invoices.
    """
    months = {(each.emitter_id, each.competence) for each in batches}
    query = (
        sa.select(_batches.c.emitter_id, _batches.c.competence, sa.func.sum(_given.c.total_cents))
        .join(_given, _given.c.batch_id == _batches.c.id)
        .where(_given.c.staff_id == staff_id, _given.c.void_at.is_(None))
        .where(_given.c.approved_at > clock(conn, plus_s=-WINDOW_S))
        .group_by(_batches.c.emitter_id, _batches.c.competence)
    )
    lately = sum(int(cents) for emitter, month, cents in conn.execute(query) if (emitter, month) in months)
    return lately + sum(each.total_cents for each in batches) + reduced_by(conn, [each.id for each in batches])


def issue_code(conn: sa.Connection, actor: Actor, digest: str, batches: Mapping[int, str], *, seconds: float) -> None:
    """Store the digest of a code with which this person may approve these contents once, within `seconds`.

    Raises `FaturistaError` if the person may not approve, or if nobody is enrolled.
    """
    found = check_enrolment(conn, actor, Permission.APPROVE)
    if found is None:
        raise FaturistaError(Problem("staff.nobody_enrolled"))
    line = {
        "staff_id": found.id,
        "revision": found.revision,
        "digest": digest,
        "batches": {str(each): content for each, content in batches.items()},
        "expires_at": clock(conn, plus_s=seconds),
    }
    conn.execute(sa.insert(_codes).values(**line))
    journal(conn, found.id, "code", by=actor.signature)


def redeem_code(conn: sa.Connection, digest: str, *, by: str) -> Redeemed | None:
    """Use up a code. Return None if it is unknown, used or expired, or if its owner's enrolment has changed."""
    is_good = sa.and_(_codes.c.digest == digest, _codes.c.used_at.is_(None), _codes.c.expires_at > clock(conn))
    used = sa.update(_codes).where(is_good).values(used_at=clock(conn)).returning(_codes)
    row = conn.execute(used).one_or_none()
    if row is None:
        return None
    found = staff_of(conn, row.staff_id)
    journal(conn, found.id, "redeemed", by=by)
    if found.revoked_at is not None or found.revision != row.revision:
        return None
    return Redeemed(found, {int(each): content for each, content in row.batches.items()})
