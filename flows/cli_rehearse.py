"""Command `rehearse`: bill a month on a copy of the ledger, without a request to any provider."""

from collections.abc import Sequence
from pathlib import Path

from connectors.ledger import files as ledger_files
from flows import screens
from flows.arguments import Profile, console, month
from flows.rehearsal import rehearse_month
from tasks.closing.checklist import month_page
from tasks.corrections.workbook import write_back
from tasks.preview.stored_forecast import reasons_of
from tasks.rehearsals.troubles import Trouble
from tasks.runtime import Context, settings_of
from tasks.stations.report import report_outcome
from tasks.views.status import overview, repeated_rows, skipped_rows


def rehearse(
    competence: str, *, trouble: list[Trouble] | None = None, folder: Path | None = None, profile: Profile = "local"
) -> None:
    """Bill a month on a copy of the ledger against a sandbox on this machine, and show the result."""
    asked = month(competence)
    kept = folder or Path(settings_of(profile).paths.home) / "rehearsals" / f"{asked:%Y-%m}"
    kept = kept.absolute()

    def show(context: Context, readings: Sequence[int]) -> None:
        words = context.catalogue
        kept.mkdir(parents=True, exist_ok=True)
        for reading in readings:
            file = context.ledger.read(ledger_files.file_of_reading, reading)
            seen = overview(context, reading)
            console.rule(file.name)
            screens.show_reading(
                console, words, seen, skipped=skipped_rows(context, reading), repeated=repeated_rows(context, reading)
            )
            screens.show_reasons(console, words, reasons_of(context, reading))
            screens.show_overview(console, words, seen)
            console.print(words.text("demo.outcome", path=str(report_outcome(context, file.id, folder=kept))))
            screens.show_corrections(console, words, write_back(context, file.id, folder=kept))
        console.rule()
        if not readings:
            console.print(words.text("month.nothing_due"))
        screens.show_page(console, month_page(context, asked))
        console.print(words.text("rehearsal.done"))

    rehearse_month(profile, asked, trouble or [], show)
