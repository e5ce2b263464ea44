"""Copies of the ledger, made and restored while others work, checked, and written out for an auditor."""

import tempfile
from pathlib import Path

from connectors.ledger.engine import Ledger, check_whole
from connectors.ledger.keeping.copies import Copy, write_copy
from connectors.ledger.keeping.exports import export_tables
from connectors.ledger.keeping.replay import Verified, verify
from connectors.ledger.keeping.restoring import restore_copy
from domain.competence import BRASILIA
from domain.problems import FaturistaError, Problem
from tasks.runtime import Desk, ledger_address

SUFFIX = ".jsonl.gz"
NIGHTLY = "nightly-"


def back_up(desk: Desk, path: Path | None = None) -> tuple[Path, Copy]:
    """One file with all that the ledger holds at this moment, in the folder of copies unless `path` says otherwise.

    A copy is never written over another file. Raises `FaturistaError`.
    """
    path = path or Path(desk.settings.paths.home) / "copies" / f"ledger-{_stamp(desk)}{SUFFIX}"
    if path.exists():
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": path.name}))
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


def verify_ledger(desk: Desk) -> Verified:
    """Whether the ledger is whole and agrees with its own journal. Raises `LedgerRefused` for a damaged one."""
    desk.ledger.read(check_whole)
    return desk.ledger.read(verify)


def verify_copy(path: Path) -> tuple[Copy, Verified]:
    """The same of a copy: it is restored beside everything, replayed and thrown away."""
    with tempfile.TemporaryDirectory(prefix="faturista-") as folder:
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        copy = restore_copy(url, path, by="verify")
        with Ledger.open(url, migrate=False) as ledger:
            return copy, ledger.read(verify)


def export(desk: Desk, folder: Path | None = None) -> tuple[Path, dict[str, int]]:
    """Journal and tables as CSV and JSON lines in a new folder, in the outbox by default; rows by table."""
    folder = folder or desk.outbox / f"ledger-{_stamp(desk)}"
    try:
        return folder, desk.ledger.read(export_tables, folder)
    except FileExistsError as error:
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": folder.name})) from error
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"reason": error.strerror or "?"})) from error


def _stamp(desk: Desk) -> str:
    return desk.clock().astimezone(BRASILIA).strftime("%Y%m%d-%H%M%S")
