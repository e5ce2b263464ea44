"""Name the answers to a file, and recognise a returned one by its name in any language."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from configs.catalogue import word_by_language
from connectors.ledger.files import FileRecord
from connectors.spreadsheets.writers.safe_files import readable_stem
from domain.problems import InputError, Problem
from tasks.runtime import Context

OUTCOME: Final = "outcome.suffix"
CORRECTIONS: Final = "corrections.suffix"
_ANSWER: Final = re.compile(r"-([0-9a-f]{8})-[a-z-]+\.(?:xlsx|txt)$")
_COPIED: Final = r"(?:-\d+)?(?:\s*\(\d+\)|\s*-\s*c[oó]p(?:ia|y))*"
"""Suffixes that we, browsers and Windows add to the name of a second file with the same name."""


def answer_paths(context: Context, file: FileRecord, folder: Path | None, kind: str) -> list[Path]:
    """Return the possible paths of an answer (`OUTCOME` or `CORRECTIONS`): the current language's name first."""
    stem = _without_our_end(readable_stem(file.name)) if kind == CORRECTIONS else readable_stem(file.name)
    words = dict.fromkeys((context.catalogue.text(kind), *word_by_language(kind).values()))
    names = [f"{stem}-{file_code(file)}-{word}.xlsx" for word in words]
    return [(folder or context.outbox) / name for name in names]


def answer_code(name: str) -> str | None:
    """Return the code of the file that an answer of this name belongs to, None for any other name."""
    found = _ANSWER.search(name)
    return None if found is None else found[1]


def file_code(file: FileRecord) -> str:
    """Return the code in the names of a file's answers: people find them in the outbox by it."""
    return file.sha256[:8]


def refuse_outcome(headers: Iterable[str]) -> None:
    """Raise `InputError` (`file.our_outcome`) for the headers of an outcome workbook.

    Each of its rows has a customer, an amount and a template: dropped by mistake, it could be billed as a new month.
    """
    if not set(word_by_language("outcome.remote_id").values()).isdisjoint(headers):
        raise InputError(Problem("file.our_outcome"))


def _without_our_end(stem: str) -> str:
    """Return the name without our suffix, so that the name of a correction of corrections does not grow."""
    return _our_end().sub("", stem) or stem


@cache
def _our_end() -> re.Pattern[str]:
    suffixes = "|".join(sorted({re.escape(word) for word in word_by_language(CORRECTIONS).values()}))
    return re.compile(rf"-[0-9a-f]{{8}}-(?:{suffixes}){_COPIED}$", re.IGNORECASE)
