"""Four eyes: whoever dropped a sheet neither approves its batches nor acknowledges what is unlike the month before."""

from collections.abc import Collection

from connectors.ledger import files as ledger_files
from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context


def signature(person: str, account: str) -> str:
    """Return the name that somebody typed, with the machine's user who did where it differs."""
    return person if account in {"", person} else f"{person} ({account})"


def refuse_dropper(context: Context, batch: BatchRecord, persons: Collection[str]) -> None:
    """Raise `FaturistaError` where the profile wants four eyes and one of these persons dropped the batch's sheet."""
    if not context.settings.approval.four_eyes:
        return
    folded = {person.casefold() for person in persons}
    reading = context.ledger.read(ledger_files.reading_of, batch.reading_id)
    for person in reading.droppers:
        if person.casefold() in folded:
            raise FaturistaError(Problem("batch.approver_is_dropper", params={"batch": batch.id, "person": person}))
