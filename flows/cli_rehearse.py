"""Command `rehearse`: bill a month on a copy of the ledger, without a request to any provider."""

from collections.abc import Sequence
from pathlib import Path

from flows import screens
from flows.answer_screen import show_answer
from flows.arguments import Profile, console, parse_month
from flows.page_screen import show_page
from flows.rehearsal import rehearse_month
from tasks.closing.checklist import month_page
from tasks.rehearsals.fault_injection import Trouble
from tasks.runtime import Context, settings_of


def rehearse(
    competence: str, *, trouble: list[Trouble] | None = None, folder: Path | None = None, profile: Profile = "local"
) -> None:
    """Bill a month on a copy of the ledger against a sandbox on this machine, and show the result."""
    asked = parse_month(competence)
    kept = folder or Path(settings_of(profile).paths.home) / "rehearsals" / f"{asked:%Y-%m}"
    kept = kept.absolute()
    kept.mkdir(parents=True, exist_ok=True)

    def show(context: Context, readings: Sequence[int]) -> None:
        words = context.catalogue
        for reading in readings:
            screens.show_overview(console, words, show_answer(console, context, reading))
        console.rule()
        if not readings:
            console.print(words.text("month.nothing_due"))
        show_page(console, month_page(context, asked))
        console.print(words.text("rehearsal.done"))

    rehearse_month(profile, asked, trouble or [], show, outbox=kept)
