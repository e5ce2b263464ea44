"""The keys of copies: the recipients that a copy is encrypted for, and the secret keys that open one."""

from pathlib import Path

from configs.settings import Settings
from connectors.ledger.backup.encryption import Identity, Recipient, parse_identities, parse_recipients
from tasks.runtime.private_files import own_text
from tasks.runtime.secrets import resolve_secret


def recipients_of(settings: Settings) -> list[Recipient]:
    """Return the recipients that copies are encrypted for; none where copies are plain. Raises `FaturistaError`."""
    return parse_recipients(settings.backup.recipients)


def identities_of(settings: Settings) -> list[Identity]:
    """Return the secret keys that `backup.identity` refers to; none where it is empty.

    Raises `FaturistaError` for a missing secret, a file that others may read, or a file without a key.
    """
    reference = settings.backup.identity
    if not reference:
        return []
    if reference.startswith(("env:", "block:")):
        return parse_identities(resolve_secret(reference).get_secret_value())
    return parse_identities(own_text(Path(reference), missing="backup.no_identity", shared="backup.shared_identity"))
