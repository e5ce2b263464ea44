"""Enforce four eyes: the person who dropped a sheet neither approves its batches nor acknowledges its findings."""

from connectors.ledger import files as ledger_files
from connectors.ledger.batches import BatchRecord
from connectors.ledger.files import ReadingRecord
from connectors.ledger.staff import records as staff_records
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Role
from tasks.runtime import Context
from tasks.staff.identity import actor_of


def refuse_dropper(context: Context, batch: BatchRecord, actor: Actor) -> None:
    """Raise `FaturistaError` if the profile requires four eyes and the actor dropped the batch's sheet.

    Where people are enrolled, a sheet from an unknown person is refused as well: it may be the actor's. Sheets that
    the system wrote from contracts and paid orders have no dropper.
    """
    if not context.settings.approval.four_eyes:
        return
    reading = context.ledger.read(ledger_files.reading_of, batch.reading_id)
    if called := [name for name in reading.droppers if actor.is_called(name)]:
        # Several people may use one account of the machine: then nobody knows that this one dropped the sheet.
        is_account = all(actor.is_called_by_account_alone(name) for name in called)
        code = "batch.approver_shares_account" if is_account else "batch.approver_is_dropper"
        person = actor.account if is_account else reading.dropped_by
        raise FaturistaError(Problem(code, params={"batch": batch.id, "person": person}))
    if actor.staff_id is None:
        return
    droppers = _droppers(context, reading)
    if actor.staff_id in droppers:
        person = actor.name
        raise FaturistaError(Problem("batch.approver_is_dropper", params={"batch": batch.id, "person": person}))
    if not droppers and not reading.options.get("is_of_contracts"):
        person = ", ".join(reading.droppers)
        raise FaturistaError(Problem("batch.dropper_unknown", params={"batch": batch.id, "person": person}))


def able_approvers(context: Context, batch: BatchRecord) -> list[str] | None:
    """Return the names of people who may approve this batch; None where nobody is enrolled.

    The roles, the limits and the droppers count, but not what a person has approved before.
    """
    if not context.ledger.read(staff_records.has_any):
        return None
    able = context.ledger.read(staff_records.able_people, Role.APPROVER, cents=batch.total_cents)
    if context.settings.approval.four_eyes:
        able = [each for each in able if _may_be_second(context, batch, actor_of(each, account=""))]
    return [each.name for each in able]


def _may_be_second(context: Context, batch: BatchRecord, actor: Actor) -> bool:
    try:
        refuse_dropper(context, batch, actor)
    except FaturistaError:
        return False
    return True


def _droppers(context: Context, reading: ReadingRecord) -> set[int]:
    """Return the staff ids of the enrolled people who dropped a sheet.

    They proved it, or an inbox file's owner or folder names them. The operator of a reading does not count, because the
    dashboard's form accepts any name.
    """
    proved = {int(each) for each in reading.options.get("persons") or ()}
    if not reading.options.get("dropper"):
        return proved
    return proved | {each.id for each in context.ledger.read(staff_records.staff_called, reading.droppers)}
