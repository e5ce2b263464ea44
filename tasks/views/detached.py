"""Tell in which files the records of detached months are."""

from collections.abc import Sequence
from pathlib import Path

from connectors.ledger.detached.months import detached_among
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA, format_competence
from tasks.runtime import Context


def say_files(context: Context, invoices: Sequence[InvoiceRecord]) -> list[str]:
    """Return a sentence for each detached month of these invoices: the file that has its records."""
    months = context.ledger.read(detached_among, {each.competence for each in invoices})
    return [
        context.catalogue.text(
            "ledger.month_in_file",
            month=format_competence(each.competence),
            path=str(folder_of(context) / each.file),
            sha256=each.sha256,
            day=f"{each.detached_at.astimezone(BRASILIA):%d/%m/%Y}",
            person=each.detached_by,
        )
        for each in months
    ]


def folder_of(context: Context) -> Path:
    """Return the folder of the files of detached months."""
    return Path(context.settings.paths.home) / "detached"
