"""Store which correction workbook was last written for a file, to recognise one that a person has changed.

A person opens the workbook in place, corrects it and saves it under the same name. From then on it belongs to that
person: nothing overwrites or deletes it, and later corrections go into another file beside it.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from connectors.ledger.files import FileRecord
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.keys import content_digest, file_digest
from tasks.corrections.file_names import CORRECTIONS, answer_paths
from tasks.runtime import Context
from tasks.runtime.shared_files import withdraw_answer


@dataclass(frozen=True, slots=True)
class WrittenWorkbook:
    """The last workbook of a file in a folder.

    `sha256` is of its bytes as written, `report` the digest of its content before formatting, `count` the number of
    rows, `has_looks` whether it has the formatting of the dropped file.
    """

    path: str
    sha256: str
    report: str
    count: int
    has_looks: bool

    @property
    def is_there(self) -> bool:
        return Path(self.path).is_file()

    @property
    def is_ours(self) -> bool:
        """Return whether the file is still as we wrote it."""
        return self.is_there and file_digest(Path(self.path).read_bytes()) == self.sha256


def recall(context: Context, wanted: Path) -> WrittenWorkbook | None:
    """Return the record of the workbook last written for the path `wanted`, or None without a readable record."""
    try:
        return WrittenWorkbook(**json.loads(_record_path(context, wanted).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def last_written(context: Context, file: FileRecord) -> WrittenWorkbook | None:
    """Return the file's workbook last written into the outbox, in any language."""
    found = (recall(context, path) for path in answer_paths(context, file, None, CORRECTIONS))
    return next((each for each in found if each is not None), None)


def remember(context: Context, wanted: Path, written: WrittenWorkbook) -> None:
    """Store the record of a workbook under its usual path, `wanted`; the file itself may have another name there."""
    content = json.dumps(asdict(written))

    def fill(partial: Path) -> None:
        partial.write_text(content, encoding="utf-8")

    write_atomically(_record_path(context, wanted), fill)


def delete_unchanged(context: Context, places: Iterable[Path]) -> None:
    """Delete the workbooks last written for these paths, except those that a person has changed."""
    for wanted in places:
        last = recall(context, wanted)
        if last is not None and last.is_ours:
            withdraw_answer(context.settings, Path(last.path))


def unused_path(wanted: Path, last: WrittenWorkbook | None) -> Path:
    """Return the path to write to: our last file if nobody changed it, else a free name."""
    if last is not None and last.is_ours:
        return Path(last.path)
    place, number = wanted, 1
    while place.exists():
        number += 1
        place = wanted.with_stem(f"{wanted.stem}-{number}")
    return place


def _record_path(context: Context, wanted: Path) -> Path:
    return Path(context.settings.paths.home) / "corrections" / f"{content_digest(str(wanted.resolve()))[:32]}.json"
