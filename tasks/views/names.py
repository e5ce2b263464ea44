"""Names that people know, for the runs on a dashboard: a file's name; a batch's emitter and month."""

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import parties as ledger_parties
from domain.competence import format_competence
from tasks.runtime import Desk


def file_name(desk: Desk, file_id: int) -> str:
    """Return the name under which a file was dropped."""
    found = desk.ledger.read(ledger_files.find_file, file_id=file_id)
    return str(file_id) if found is None else found.name


def reading_name(desk: Desk, reading_id: int) -> str:
    """Return the name of the file that a reading read."""
    return desk.ledger.read(ledger_files.file_of_reading, reading_id).name


def batch_name(desk: Desk, batch_id: int) -> str:
    """Return a batch's number, its emitter and its month."""
    batch = desk.ledger.read(ledger_batches.batch_of, batch_id)
    emitter = desk.ledger.read(ledger_parties.emitter_of, batch.emitter_id)
    return f"{batch_id}: {emitter.name}, {format_competence(batch.competence)}"
