"""What to take from the inbox, what each file asks for, and how a file that cannot be used goes back."""

import hashlib
import shutil
import time
from datetime import date
from pathlib import Path
from typing import Final

from connectors.spreadsheets.drops import Drop, dropped_files
from connectors.spreadsheets.inbox import archive
from connectors.spreadsheets.saving import readable_stem, save_whole
from domain.competence import parse_competence
from domain.documents import parse_document
from domain.keys import file_digest
from domain.problems import FaturistaError, LayoutError, Problem
from tasks.intake import read_bytes
from tasks.read import ReadingOptions, open_file, read_opened
from tasks.runtime import Desk

OPERATOR: Final = "inbox"
"""Who dropped a file that came by the folder."""


def has_drops(desk: Desk) -> bool:
    """Whether anything lies in the inbox."""
    return bool(dropped_files(Path(desk.settings.paths.inbox)))


def settled_drops(desk: Desk) -> list[Drop]:
    """The files that stood still between two looks: whoever writes them is done."""
    inbox = Path(desk.settings.paths.inbox)
    inbox.mkdir(parents=True, exist_ok=True)
    seen = dropped_files(inbox)
    if seen:
        time.sleep(desk.settings.inbox.settle_s)
    return [drop for drop in seen if drop.is_unchanged()]


def options_of(drop: Drop) -> ReadingOptions:
    """What the folders around a file say of it: a month (2026-11), an emitter's CNPJ, and whose sheet it is."""
    emitter: str | None = None
    sender: str | None = None
    competence: date | None = None
    for name in drop.folders:
        month, parsed = parse_competence(name), parse_document(name)
        if month is not None:
            competence = competence or month
        elif not isinstance(parsed, Problem) and parsed.document.kind == "cnpj":
            emitter = emitter or parsed.document.number
        else:
            sender = sender or name
    return ReadingOptions(operator=OPERATOR, emitter_cnpj=emitter, competence=competence, sender=sender)


def sort_drop(desk: Desk, drop: Drop) -> tuple[str, int] | None:
    """Read a file that can be used and return its kind and its reading; None once it went back with the reasons.

    A file that changed while it was looked at stays for the next sweep (`file.changing`, raised).
    """
    options = options_of(drop)
    try:
        opened = open_file(desk, drop.path, options)
    except LayoutError as error:
        _still(drop)
        send_back(desk, drop, error)
        return None
    _still(drop)
    return opened.kind, read_opened(desk, opened, options)


def _still(drop: Drop) -> None:
    if not drop.is_unchanged():
        raise FaturistaError(Problem("file.changing", params={"name": drop.path.name}))


def send_back(desk: Desk, drop: Drop, error: FaturistaError) -> Path:
    """Put the file into the outbox with a note that says why, in words; the note's path."""
    stem = answer_stem(drop.path)
    note = desk.outbox / f"{stem}-{desk.catalogue.text('inbox.refused_suffix')}.txt"
    sentences = [desk.catalogue.text("inbox.refused", name=drop.path.name), "", *desk.catalogue.explain(error)]
    write_note(note, "\r\n".join([*sentences, ""]))
    shutil.move(drop.path, desk.outbox / f"{stem}{drop.path.suffix}")
    return note


def say_same(desk: Desk, drop: Drop, known_as: str, answer: Path) -> None:
    """The same file under another name has the answer of the first: say where, for whoever looks for its own."""
    note = desk.outbox / f"{answer_stem(drop.path)}-{desk.catalogue.text('inbox.same_suffix')}.txt"
    said = desk.catalogue.text("inbox.same", name=drop.path.name, known=known_as, answer=answer.name)
    write_note(note, f"{said}\r\n")


def write_note(path: Path, text: str) -> None:
    """A text file for a person."""
    # with the mark at the beginning, Windows shows the accents as they are
    save_whole(path, lambda partial: _write(partial, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8-sig", newline="")


def put_away(desk: Desk, drop: Drop) -> None:
    """The file leaves the inbox: its bytes are in the archive. One that changed meanwhile is a new drop and stays."""
    if not drop.is_unchanged():
        return
    content = read_bytes(drop.path, limit=desk.settings.limits.file_bytes)
    archive(content, sha256=file_digest(content), name=drop.path.name, folder=desk.archive)
    drop.path.unlink()


def answer_stem(path: Path) -> str:
    """How an answer's name begins: the file's own name and the first of its digest, so that two never clash."""
    with path.open("rb") as file:
        return f"{readable_stem(path.name)}-{hashlib.file_digest(file, 'sha256').hexdigest()[:8]}"
