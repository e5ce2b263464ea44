"""Show the result of a dropped file: rows taken, held and refused, paths of its outcome and correction workbooks."""

from rich.console import Console

from connectors.ledger import files as ledger_files
from flows import screens
from tasks.corrections.workbook import write_back
from tasks.preview.stored_forecast import reasons_of
from tasks.runtime import Context
from tasks.stations.report import report_outcome
from tasks.views.left_rows import left_rows, skipped_rows
from tasks.views.status import Overview, overview


def show_answer(console: Console, context: Context, reading: int) -> Overview:
    """Show a reading's result. Write both workbooks into the outbox and show their paths. Return the overview."""
    words, seen = context.catalogue, overview(context, reading)
    file = context.ledger.read(ledger_files.file_of_reading, reading)
    console.rule(file.name)
    left = left_rows(context, reading)
    screens.show_reading(console, words, seen, kind=file.kind, skipped=skipped_rows(context, reading), left=left)
    screens.show_reasons(console, words, reasons_of(context, reading))
    if not seen.batches:
        console.print(words.text("cli.nothing_new"))
    console.print(words.text("demo.outcome", path=str(report_outcome(context, file.id))))
    screens.show_corrections(console, words, write_back(context, file.id))
    return seen
