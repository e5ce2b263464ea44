"""Folders that lie too deep in the inbox: nothing of them is taken, and that is said once for each."""

from pathlib import Path

from connectors.inbox.drops import DEEPEST, unread_folders
from connectors.spreadsheets.safe_files import readable_stem
from domain.keys import content_digest
from tasks.inbox.take import write_note
from tasks.runtime import Desk


def unsaid_folders(desk: Desk) -> list[Path]:
    """Return deep folders that no note mentioned yet. Forget folders that were emptied or removed."""
    inbox = Path(desk.settings.paths.inbox)
    found = {_mark(desk, folder): folder for folder in unread_folders(inbox)}
    for mark in _marks(desk).glob("*"):
        if mark not in found:
            mark.unlink(missing_ok=True)
    return [folder for mark, folder in found.items() if not mark.exists()]


def say_unread(desk: Desk) -> list[Path]:
    """Write a note into the outbox for each of these folders. Return the notes' paths."""
    return [_say(desk, folder) for folder in unsaid_folders(desk)]


def _say(desk: Desk, folder: Path) -> Path:
    shown = folder.relative_to(desk.settings.paths.inbox)
    digest = _mark(desk, folder).name[:8]
    note = desk.outbox / f"{readable_stem(folder.name)}-{digest}-{desk.catalogue.text('inbox.deep_suffix')}.txt"
    said = desk.catalogue.text("inbox.deep", folder=shown.as_posix(), limit=DEEPEST)
    write_note(note, f"{said}\r\n")
    mark = _mark(desk, folder)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    return note


def _mark(desk: Desk, folder: Path) -> Path:
    return _marks(desk) / content_digest(str(folder.resolve()))[:32]


def _marks(desk: Desk) -> Path:
    return Path(desk.settings.paths.home) / "unread"
