"""Report folders that lie too deep in the inbox, once each; nothing is read from them."""

from pathlib import Path

from connectors.inbox.drops import DEEPEST, unread_folders
from connectors.spreadsheets.writers.safe_files import readable_stem
from domain.keys import content_digest
from tasks.inbox.drops import write_note
from tasks.runtime import Context


def unreported_folders(context: Context) -> list[Path]:
    """Return too deep folders without a note yet. Forget folders that were emptied or removed."""
    inbox = Path(context.settings.paths.inbox)
    found = {_mark_path(context, folder): folder for folder in unread_folders(inbox)}
    for mark in _marks_folder(context).glob("*"):
        if mark not in found:
            mark.unlink(missing_ok=True)
    return [folder for mark, folder in found.items() if not mark.exists()]


def report_unread_folders(context: Context) -> list[Path]:
    """Write a note into the outbox for each of `unreported_folders`. Return the notes' paths."""
    return [_write_warning(context, folder) for folder in unreported_folders(context)]


def _write_warning(context: Context, folder: Path) -> Path:
    shown = folder.relative_to(context.settings.paths.inbox)
    digest = _mark_path(context, folder).name[:8]
    note = context.outbox / f"{readable_stem(folder.name)}-{digest}-{context.catalogue.text('inbox.deep_suffix')}.txt"
    text = context.catalogue.text("inbox.deep", folder=shown.as_posix(), limit=DEEPEST)
    write_note(note, f"{text}\r\n")
    mark = _mark_path(context, folder)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    return note


def _mark_path(context: Context, folder: Path) -> Path:
    return _marks_folder(context) / content_digest(str(folder.resolve()))[:32]


def _marks_folder(context: Context) -> Path:
    return Path(context.settings.paths.home) / "unread"
