"""Take files from the inbox with the options of their folders' names, and return files that cannot be used."""

import hashlib
import time
from datetime import date
from pathlib import Path
from typing import Final

from connectors.inbox import claims
from connectors.inbox.drops import Drop, dropped_files
from connectors.inbox.folders import readable_name, safe_name
from connectors.spreadsheets.archive import archive
from connectors.spreadsheets.writers.safe_files import readable_stem, write_atomically
from connectors.users import user_name
from domain.competence import parse_competence
from domain.disk_faults import disk_fault, is_retryable
from domain.documents import parse_document
from domain.keys import file_digest
from domain.problems import FaturistaError, InputError, Problem
from tasks.runtime import Context
from tasks.runtime.file_bytes import read_bytes
from tasks.stations.read import open_file, read_opened
from tasks.stations.reading_options import ReadingOptions

OPERATOR: Final = "inbox"
"""The operator of a file from the inbox. `ReadingOptions.dropper` names the person who dropped it."""


def has_drops(context: Context) -> bool:
    """Return whether files are in the inbox, or are claimed by another process, which may have been killed."""
    return bool(dropped_files(_inbox(context))) or claims.has_others(_spool(context))


def count_drops(context: Context) -> int:
    """Return how many files are in the inbox now."""
    return len(dropped_files(_inbox(context)))


def collect_settled_drops(context: Context) -> list[Drop]:
    """Return the files that did not change for `inbox.settle_s` seconds: their writers have finished.

    Files that a killed sweep had claimed go back to the inbox first. Also return files that cannot be read or go back;
    their `problem_code` is the reason.
    """
    inbox = _inbox(context)
    inbox.mkdir(parents=True, exist_ok=True)
    stuck = claims.recover(_spool(context), inbox)
    seen = [Drop(path=path, folders=(), size=0, changed_ns=0, problem_code="file.not_returned") for path in stuck]
    seen += dropped_files(inbox)
    if seen:
        time.sleep(context.settings.inbox.settle_s)
    return [drop for drop in seen if drop.problem_code or drop.is_unchanged()]


def options_of(drop: Drop) -> ReadingOptions:
    """Return the options that a file's owner and its folders' names give: month (2026-11), emitter's CNPJ, sender."""
    emitter: str | None = None
    sender: str | None = None
    competence: date | None = None
    for name in map(readable_name, drop.folders):
        month, parsed = parse_competence(name), parse_document(name)
        if month is not None:
            competence = competence or month
        elif not isinstance(parsed, Problem) and parsed.document.kind == "cnpj":
            emitter = emitter or parsed.document.number
        else:
            sender = sender or name
    return ReadingOptions(
        operator=OPERATOR, emitter_cnpj=emitter, competence=competence, sender=sender, dropper=user_name(drop.owner)
    )


def claim_and_read(context: Context, drop: Drop) -> tuple[Drop, str, int] | None:
    """Claim and read a file. Return it with its kind and its reading's id; None if it went back with the reasons.

    Raises:
        FaturistaError: The file changed meanwhile or cannot be moved. It stays in the inbox for the next sweep.
    """
    claimed = _claim_drop(context, drop)
    try:
        return _read_drop(context, claimed)
    except BaseException:
        give_back(context, claimed)
        raise


def give_back(context: Context, drop: Drop) -> None:
    """Move a claimed file back into the inbox."""
    claims.give_back(drop, _inbox(context))


def _claim_drop(context: Context, drop: Drop) -> Drop:
    params: dict[str, str | int] = {"name": safe_name(drop.path.name)}
    if drop.problem_code is not None:
        raise FaturistaError(Problem(drop.problem_code, params=params))
    try:
        found = claims.claim(drop, _inbox(context), _spool(context), copied_bytes=context.settings.limits.file_bytes)
    except OSError as error:
        raise FaturistaError(Problem("file.not_movable", params={**params, "disk": disk_fault(error)})) from error
    if found is None:
        raise FaturistaError(Problem("file.changing", params=params))
    return found


def _read_drop(context: Context, drop: Drop) -> tuple[Drop, str, int] | None:
    options = options_of(drop)
    try:
        if not drop.is_file:
            raise InputError(Problem("file.special", params={"name": drop.path.name}))  # noqa: TRY301 - reported like others
        opened = open_file(context, drop.path, options)
        _require_unchanged(drop)
        return drop, opened.kind, read_opened(context, opened, options)
    except InputError as error:
        _require_unchanged(drop)
        refuse_drop(context, drop, error)
        return None


def _require_unchanged(drop: Drop) -> None:
    if not drop.is_unchanged():
        raise FaturistaError(Problem("file.changing", params={"name": drop.path.name}))


def refuse_drop(context: Context, drop: Drop, error: FaturistaError) -> Path:
    """Move an unusable file into the outbox, with a note that gives the reason. Return the note's path.

    Move anything that cannot be in the outbox, such as a pipe, to the folder `aside`. Raises `OSError` if the
    outbox cannot be written to for the moment.
    """
    limit = context.settings.limits.file_bytes
    stem = answer_stem(drop, limit=limit)
    note = context.outbox / f"{stem}-{context.catalogue.text('inbox.refused_suffix')}.txt"
    sentences = [context.catalogue.text("inbox.refused", name=shown_path(drop)), "", *context.catalogue.explain(error)]
    write_note(note, "\r\n".join([*sentences, ""]))
    try:
        if not drop.is_file:
            raise OSError("not a file")  # noqa: TRY301 - set aside like what cannot be moved
        claims.hand_over(drop, context.outbox / f"{stem}{drop.path.suffix}", copied_bytes=limit)
    except OSError as refusal:
        if is_retryable(refusal):
            raise
        claims.set_aside(drop, Path(context.settings.paths.home) / "aside")
    return note


def write_question(context: Context, drop: Drop, question: Problem) -> Path:
    """Write the question about a file that resembles an earlier one into the outbox. Return the note's path."""
    stem = answer_stem(drop, limit=context.settings.limits.file_bytes)
    note = context.outbox / f"{stem}-{context.catalogue.text('inbox.question_suffix')}.txt"
    sentences = [context.catalogue.text("inbox.question", name=shown_path(drop)), "", context.catalogue.say(question)]
    write_note(note, "\r\n".join([*sentences, ""]))
    return note


def write_note(path: Path, text: str) -> None:
    """Write a text file for a person."""
    # Windows needs the byte order mark to show accents.
    write_atomically(path, lambda partial: _write(partial, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8-sig", newline="")


def archive_drop(context: Context, drop: Drop) -> None:
    """Archive a file and remove it from the inbox. Leave a file that changed meanwhile: it is a new drop."""
    if not drop.is_unchanged():
        return
    content = read_bytes(drop.path, limit=context.settings.limits.file_bytes)
    archive(content, sha256=file_digest(content), name=drop.path.name, folder=context.archive)
    claims.leave(drop)


def shown_path(drop: Drop) -> str:
    """Return the file's name after the names of its folders in the inbox."""
    return "/".join((*map(readable_name, drop.folders), drop.path.name))


def answer_stem(drop: Drop, *, limit: int) -> str:
    """Return the beginning of an answer's name: folders, the file's name and the start of its digest, to avoid clashes.

    The folders distinguish copies of one file. For a file that is too large or cannot be read, use size and time
    instead of the digest.
    """
    digest = hashlib.sha256(f"{drop.size} {drop.changed_ns} {drop.identity}".encode())
    if drop.is_file and drop.size <= limit:
        try:
            with drop.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
        except OSError:
            pass
    folders = "".join(f"{readable_name(name)}-" for name in drop.folders)
    return f"{readable_stem(folders + drop.path.name)}-{digest.hexdigest()[:8]}"


def _inbox(context: Context) -> Path:
    return Path(context.settings.paths.inbox)


def _spool(context: Context) -> Path:
    return Path(context.settings.paths.home) / "claimed"
