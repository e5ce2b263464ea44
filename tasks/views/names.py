"""Name the runs on the dashboard so that people recognise them: by file, or by a batch's emitter and month."""

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import parties as ledger_parties
from domain.competence import format_competence
from tasks.runtime import Context


def file_name(context: Context, file_id: int) -> str:
    """Return the name under which a file was dropped."""
    found = context.ledger.read(ledger_files.find_file, file_id=file_id)
    return str(file_id) if found is None else found.name


def reading_name(context: Context, reading_id: int) -> str:
    """Return the name of the file that a reading read."""
    return context.ledger.read(ledger_files.file_of_reading, reading_id).name


def batch_name(context: Context, batch_id: int) -> str:
    """Return a batch's number, its emitter and its month."""
    batch = context.ledger.read(ledger_batches.batch_of, batch_id)
    emitter = context.ledger.read(ledger_parties.emitter_of, batch.emitter_id)
    return f"{batch_id}: {emitter.name}, {format_competence(batch.competence)}"
