"""The keys of copies: the recipients that a copy is encrypted for, and the secret keys that open one."""

import os
import stat
from pathlib import Path
from typing import Final

from configs.settings import Settings
from connectors.ledger.backup.encryption import Identity, Recipient, parse_identities, parse_recipients
from domain.problems import FaturistaError, Problem
from tasks.runtime.secrets import resolve_secret

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_LARGEST: Final = 64 * 1024


def recipients_of(settings: Settings) -> list[Recipient]:
    """Return the recipients that copies are encrypted for; none where copies are plain. Raises `FaturistaError`."""
    return parse_recipients(settings.backup.recipients)


def identities_of(settings: Settings) -> list[Identity]:
    """Return the secret keys that `backup.identity` refers to; none where it is empty.

    Raises `FaturistaError` for a reference that leads nowhere, a file that others may read, or a file without a key.
    """
    reference = settings.backup.identity
    if not reference:
        return []
    if reference.startswith(("env:", "block:")):
        return parse_identities(resolve_secret(reference).get_secret_value())
    return parse_identities(_own_text(Path(reference)))


def _own_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            # Check the open file, not its path: nobody can replace the file in between.
            seen = os.fstat(file.fileno())
            content = file.read(_LARGEST)
    except OSError as error:
        raise FaturistaError(Problem("backup.no_identity", params={"path": str(path)})) from error
    if seen.st_mode & _OTHERS:
        raise FaturistaError(Problem("backup.shared_identity", params={"path": str(path)}))
    return content.decode(errors="replace")
