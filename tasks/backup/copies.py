"""Make, restore and check copies (backups) of the ledger, and export it for an auditor, while other processes work."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.ledger.backup.copies import Copy, head_file, write_copy, written_head
from connectors.ledger.backup.encryption import SUFFIX as ENCRYPTED
from connectors.ledger.backup.encryption import Identity, is_encrypted
from connectors.ledger.backup.exports import export_tables
from connectors.ledger.backup.line_files import UnusableCopy
from connectors.ledger.backup.restoring import restore_copy
from connectors.ledger.backup.seals import differs_from, restored_periods, seal_journal
from connectors.ledger.backup.verify import Verified, verify
from connectors.ledger.engine import Ledger, check_integrity
from domain.competence import BRASILIA
from domain.disk_faults import disk_fault
from domain.problems import FaturistaError, Problem
from tasks.backup.detaching import verify_detached_files
from tasks.backup.keys import identities_of, recipients_of
from tasks.runtime import Context, ledger_address, settings_of

SUFFIX = ".jsonl.gz"
NIGHTLY = "nightly-"
_AHEAD = timedelta(hours=1)
"""How far the clock of the disk may be ahead of ours, before we ignore a copy's time."""


def back_up(context: Context, path: Path | None = None) -> tuple[Path, Copy]:
    """Copy the whole ledger at this moment into one file: `path`, or a new file in the folder of copies.

    The copy is encrypted for the `backup.recipients`, if there are any, and never overwrites another file. Raises
    `FaturistaError`.
    """
    recipients = recipients_of(context.settings)
    path = path or _copies(context) / f"ledger-{_timestamp(context)}{_copy_suffix(context)}"
    if path.exists():
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": path.name}))
    seal_journal(context.ledger)
    try:
        return path, context.ledger.read(write_copy, path, recipients=recipients)
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"disk": disk_fault(error)})) from error


def back_up_nightly(context: Context) -> Path:
    """Copy the ledger into the folder of copies, then delete all but the newest `backup.keep` nightly copies.

    Never delete a copy that a person made. Raises `FaturistaError`.
    """
    folder = _copies(context)
    path, _ = back_up(context, folder / f"{NIGHTLY}{_timestamp(context)}{_copy_suffix(context)}")
    for old in sorted(_copies_in(folder, NIGHTLY), reverse=True)[context.settings.backup.keep :]:
        old.unlink(missing_ok=True)
        head_file(old).unlink(missing_ok=True)
    return path


def newest_copy_at(context: Context) -> datetime | None:
    """Return the aware time of the newest copy in the folder of copies, or None.

    Ignore a copy with a time in the future: it was made before the clock was set back, and its age is unknown.
    """
    latest = (context.clock() + _AHEAD).timestamp()
    times = [at for path in _copies_in(_copies(context)) if (at := path.stat().st_mtime) <= latest]
    return datetime.fromtimestamp(max(times), UTC) if times else None


def restore(profile: str, path: Path, *, person: str) -> Copy:
    """Restore a copy into the profile's empty ledger, which then issues nothing before its comparison.

    An encrypted copy needs `backup.identity`. Raises `FaturistaError`.
    """
    return restore_copy(ledger_address(profile), path, by=person, identities=_identities(profile, path))


def verify_ledger(context: Context, heads: Sequence[str] = ()) -> Verified:
    """Check the ledger's integrity, compare it with its journal, and look for known seals in the journal.

    `heads` are seals as text (`str(Head)`); the copies in the folder of copies name more. A journal without one of them
    was altered. Compare the files of detached months where they can be read. Raises `LedgerRefused` for a damaged
    database.
    """
    context.ledger.read(check_integrity)
    seal_journal(context.ledger)
    found = context.ledger.read(verify)
    written = {head: head for head in heads} | _heads_of_copies(context)
    lost = [
        Problem("ledger.head_differs", params={"head": head, "where": where})
        for head, where in written.items()
        if context.ledger.read(differs_from, head)
    ]
    return verify_detached_files(context, replace(found, problems=(*found.problems, *lost)))


def verify_copy(profile: str, path: Path) -> tuple[Copy, Verified]:
    """Check a copy: restore it into a temporary ledger and replay its journal. Raises `FaturistaError`."""
    with tempfile.TemporaryDirectory(prefix="faturista-") as folder:
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        copy = restore_copy(url, path, by="verify", identities=_identities(profile, path))
        with Ledger.open(url, migrate=False) as ledger:
            return copy, ledger.read(verify)


def export(context: Context, folder: Path | None = None) -> tuple[Path, dict[str, int]]:
    """Export journal and tables as CSV and JSON lines to a new folder. Return it and the number of rows by table.

    The default folder is beside the copies, not the outbox: people other than the ledger's owner can read the outbox.
    Raises `FaturistaError` if the folder exists or cannot be written.
    """
    folder = folder or Path(context.settings.paths.home) / "exports" / f"ledger-{_timestamp(context)}"
    seal_journal(context.ledger)
    try:
        return folder, context.ledger.read(export_tables, folder)
    except FileExistsError as error:
        raise FaturistaError(Problem("ledger.copy_exists", params={"path": folder.name})) from error
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"disk": disk_fault(error)})) from error


def _heads_of_copies(context: Context) -> dict[str, str]:
    """Return the file names of this ledger's copies, by the newest seal (head) that each copy names.

    Leave out copies from a period whose events a later restoration lost.
    """
    heads, lost = {}, context.ledger.read(restored_periods)
    for path in sorted(_copies_in(_copies(context))):
        with suppress(UnusableCopy):
            taken_at, head = written_head(path)
            if head is not None and not any(since < taken_at <= until for since, until in lost):
                heads[head] = path.name
    return heads


def _identities(profile: str, path: Path) -> list[Identity]:
    """Return the secret keys for a copy; look them up only where the copy is encrypted."""
    try:
        return identities_of(settings_of(profile)) if is_encrypted(path) else []
    except OSError as error:
        raise UnusableCopy(Problem("ledger.copy_missing")) from error


def _copies_in(folder: Path, prefix: str = "") -> Iterator[Path]:
    for suffix in (SUFFIX, f"{SUFFIX}{ENCRYPTED}"):
        yield from folder.glob(f"{prefix}*{suffix}")


def _copy_suffix(context: Context) -> str:
    return f"{SUFFIX}{ENCRYPTED}" if context.settings.backup.recipients else SUFFIX


def _copies(context: Context) -> Path:
    return Path(context.settings.paths.home) / "copies"


def _timestamp(context: Context) -> str:
    return context.clock().astimezone(BRASILIA).strftime("%Y%m%d-%H%M%S")
