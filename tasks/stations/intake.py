"""Station 1: take a dropped file, archive its bytes unchanged and enter it in the ledger."""

from pathlib import Path

from connectors.inbox.folders import readable_name
from connectors.ledger import files as ledger_files
from connectors.ledger.files import FileRecord
from connectors.spreadsheets.archive import archive
from domain.keys import file_digest
from domain.problems import FaturistaError, Problem
from tasks.corrections.file_names import answer_code
from tasks.runtime import SERVICES, Context
from tasks.runtime.file_bytes import read_bytes


def archive_file(context: Context, path: Path, *, kind: str = SERVICES) -> int:
    """Archive a file and return its id in the ledger. The same bytes always have the same id.

    Raises `InputError` when the path is no readable file or the file is over the limit.
    """
    return archive_bytes(context, read_bytes(path, limit=context.settings.limits.file_bytes), name=path.name, kind=kind)


def archive_bytes(context: Context, content: bytes, *, name: str, kind: str) -> int:
    """Archive the bytes of a file and enter it in the ledger. Return its id."""
    sha256 = file_digest(content)
    archive(content, sha256=sha256, name=name, folder=context.archive)
    name = readable_name(name)
    record = context.ledger.write(ledger_files.receive, sha256=sha256, name=name, size_bytes=len(content), kind=kind)
    return record.id


def find_dropped(context: Context, path: Path) -> FileRecord:
    """Return the ledger's record of a file: by its bytes if the path exists, else by name, digest or answer's name.

    Raises `FaturistaError` if it was never dropped.
    """
    if path.is_file():
        content = read_bytes(path, limit=context.settings.limits.file_bytes)
        found = context.ledger.read(ledger_files.find_file, sha256=file_digest(content))
    else:
        name = readable_name(path.name)
        code = answer_code(name) or name
        by_digest = context.ledger.read(ledger_files.find_file, sha256=code)
        found = by_digest or context.ledger.read(ledger_files.find_file, name=name)
    if found is None:
        raise FaturistaError(Problem("file.not_dropped", params={"name": readable_name(path.name)}))
    return found
