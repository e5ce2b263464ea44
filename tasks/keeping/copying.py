"""Copies of the ledger, made and restored while others work, checked, and written out for an auditor."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from connectors.ledger.engine import Ledger, check_whole
from connectors.ledger.keeping.copies import Copy, UnusableCopy, write_copy, written_head
from connectors.ledger.keeping.exports import export_tables
from connectors.ledger.keeping.replay import Verified, verify
from connectors.ledger.keeping.restoring import restore_copy
from connectors.ledger.keeping.seals import differs_from, lost_times, seal_journal
from domain.competence import BRASILIA
from domain.problems import FaturistaError, Problem
from tasks.runtime import Desk, ledger_address

SUFFIX = ".jsonl.gz"
NIGHTLY = "nightly-"


def back_up(desk: Desk, path: Path | None = None) -> tuple[Path, Copy]:
    """One file with all that the ledger holds at this moment, in the folder of copies unless `path` says otherwise.

    A copy is never written over another file. Raises `FaturistaError`.
    """
    path = path or _copies(desk) / f"ledger-{_stamp(desk)}{SUFFIX}"
    if path.exists():
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": path.name}))
    seal_journal(desk.ledger)
    try:
        return path, desk.ledger.read(write_copy, path)
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"reason": error.strerror or "?"})) from error


def back_up_nightly(desk: Desk) -> Path:
    """Copy the ledger into the folder of copies, then delete all but the newest `backup.keep` nightly copies.

    Copies that a person made are never deleted. Raises `FaturistaError`.
    """
    folder = Path(desk.settings.paths.home) / "copies"
    path, _ = back_up(desk, folder / f"{NIGHTLY}{_stamp(desk)}{SUFFIX}")
    for old in sorted(folder.glob(f"{NIGHTLY}*{SUFFIX}"), reverse=True)[desk.settings.backup.keep :]:
        old.unlink(missing_ok=True)
    return path


def restore(profile: str, path: Path, *, person: str) -> Copy:
    """The profile's ledger, which holds nothing yet, from a copy; it waits until it was compared with the provider."""
    return restore_copy(ledger_address(profile), path, by=person)


def verify_ledger(desk: Desk, heads: Sequence[str] = ()) -> Verified:
    """Check that the ledger is whole, agrees with its journal, and that the journal has the heads written elsewhere.

    These are `heads`, and those of the copies in the folder of copies. Raises `LedgerRefused` for a damaged ledger.
    """
    desk.ledger.read(check_whole)
    seal_journal(desk.ledger)
    found = desk.ledger.read(verify)
    written = {head: head for head in heads} | _heads_of_copies(desk)
    lost = [
        Problem("ledger.head_differs", params={"head": head, "where": where})
        for head, where in written.items()
        if desk.ledger.read(differs_from, head)
    ]
    return replace(found, problems=(*found.problems, *lost))


def verify_copy(path: Path) -> tuple[Copy, Verified]:
    """The same of a copy: it is restored beside everything, replayed and thrown away."""
    with tempfile.TemporaryDirectory(prefix="faturista-") as folder:
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        copy = restore_copy(url, path, by="verify")
        with Ledger.open(url, migrate=False) as ledger:
            return copy, ledger.read(verify)


def export(desk: Desk, folder: Path | None = None) -> tuple[Path, dict[str, int]]:
    """Write journal and tables as CSV and JSON lines to a new folder, by default beside the copies; rows by table.

    Never the outbox by default: others than the ledger's owner read that.
    """
    folder = folder or Path(desk.settings.paths.home) / "exports" / f"ledger-{_stamp(desk)}"
    seal_journal(desk.ledger)
    try:
        return folder, desk.ledger.read(export_tables, folder)
    except FileExistsError as error:
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": folder.name})) from error
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"reason": error.strerror or "?"})) from error


def _heads_of_copies(desk: Desk) -> dict[str, str]:
    """Return the file names of this ledger's copies by the head of the journal that each names.

    Leave out copies of a time that a restoration lost.
    """
    heads, lost = {}, desk.ledger.read(lost_times)
    for path in sorted(_copies(desk).glob(f"*{SUFFIX}")):
        with suppress(UnusableCopy):
            taken_at, head = written_head(path)
            if head is not None and not any(since < taken_at <= until for since, until in lost):
                heads[head] = path.name
    return heads


def _copies(desk: Desk) -> Path:
    return Path(desk.settings.paths.home) / "copies"


def _stamp(desk: Desk) -> str:
    return desk.clock().astimezone(BRASILIA).strftime("%Y%m%d-%H%M%S")
