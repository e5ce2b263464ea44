"""Offer dropped files by name in a form, and find the file that a person chose."""

from pathlib import Path
from typing import Final

from connectors.inbox.drops import dropped_files
from connectors.ledger import files as ledger_files
from connectors.spreadsheets.archive import archived
from tasks.runtime import Context

OFFERED: Final = 30
"""Number of earlier files that a form offers."""


def offered_names(context: Context, kind: str) -> list[str]:
    """Return the names that a form offers: files of the inbox, then the newest earlier files of this kind."""
    lying = [drop.path.name for drop in dropped_files(Path(context.settings.paths.inbox)) if drop.problem_code is None]
    taken = [file.name for file in context.ledger.read(ledger_files.newest_files, kind=kind, limit=OFFERED)]
    return list(dict.fromkeys([*lying, *taken]))


def find_offered(context: Context, path: Path) -> Path:
    """Return the path of a file that a form offered by its bare name. Any other path stays as it is."""
    if path.name != str(path) or path.exists():
        return path
    for drop in dropped_files(Path(context.settings.paths.inbox)):
        if drop.path.name == path.name and drop.is_file:
            return drop.path
    found = context.ledger.read(ledger_files.find_file, name=path.name)
    if found is None:
        return path
    kept = archived(found.sha256, name=found.name, folder=context.archive)
    # If its term has ended and it was deleted, return the chosen name, which the error message then shows.
    return kept if kept.is_file() else path
