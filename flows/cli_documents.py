"""The commands `documents`: XML and PDF of issued invoices, fetched, listed and exported by month and emitter."""

import asyncio
import sys
from typing import Final

from cyclopts import App

from connectors.ledger.documents import DocumentRecord
from domain.competence import format_competence
from domain.problems import Problem
from flows.arguments import Profile, console, parse_cnpj, parse_month
from flows.console_table import show_list
from tasks.documents.export import export_month
from tasks.documents.fetch import fetch as fetch_documents
from tasks.documents.stored_documents import all_documents, documents_by_month
from tasks.runtime import Context, open_context, open_runtime

_SHOWN: Final = 20

documents = App(name="documents")


@documents.command
def fetch(*, competence: str | None = None, emitter: str | None = None, profile: Profile = "local") -> None:
    """Fetch every document that is missing."""
    asyncio.run(_fetch(profile, competence=competence, emitter=emitter))
    show(competence=competence, emitter=emitter, profile=profile)


@documents.command
def show(*, competence: str | None = None, emitter: str | None = None, profile: Profile = "local") -> None:
    """Show the stored and the missing documents, by emitter and month. Exit with 1 if any is missing."""
    with open_context(profile) as context:
        words = context.catalogue
        months = list(documents_by_month(_read_documents(context, competence, emitter)))
        if not months:
            console.print(words.text("documents.none"))
            return
        headings = [words.text(f"heading.{name}") for name in ("emitter", "competence", "kept", "missing")]
        rows = [
            (each.cnpj, format_competence(each.competence), str(each.stored), str(len(each.missing))) for each in months
        ]
        show_list(console, headings, rows, figures=[False, False, True, True])
        missing = [gap for each in months for gap in each.missing]
        for gap in missing[:_SHOWN]:
            why = words.say(Problem(gap.problem or "documents.not_asked"))
            name = f"{gap.serie}-{gap.number}.{gap.kind}"
            console.print(words.text("documents.gap", name=name, cnpj=gap.cnpj, why=why), soft_wrap=True)
        if len(missing) > _SHOWN:
            console.print(words.text("documents.more_gaps", count=len(missing) - _SHOWN))
        if missing:
            sys.exit(1)


@documents.command
def export(*, competence: str, emitter: str | None = None, profile: Profile = "local") -> None:
    """Write one zip of a month's documents for each emitter. Exit with 1 if any is missing."""
    with open_context(profile) as context:
        written = export_month(context, parse_month(competence), cnpj=None if emitter is None else parse_cnpj(emitter))
        for each in written:
            line = context.catalogue.text("documents.exported", cnpj=each.cnpj, count=each.count, missing=each.missing)
            console.print(line)
            console.print(str(each.path), soft_wrap=True)
    if any(each.missing for each in written):
        sys.exit(1)


async def _fetch(profile: str, *, competence: str | None, emitter: str | None) -> None:
    async with open_runtime(profile, station="documents") as runtime:
        missing = [each for each in _read_documents(runtime, competence, emitter) if each.sha256 is None]
        count = await fetch_documents(runtime, missing)
        console.print(runtime.catalogue.text("documents.fetched", count=count))


def _read_documents(context: Context, competence: str | None, emitter: str | None) -> list[DocumentRecord]:
    return all_documents(
        context,
        competence=None if competence is None else parse_month(competence),
        cnpj=None if emitter is None else parse_cnpj(emitter),
    )
