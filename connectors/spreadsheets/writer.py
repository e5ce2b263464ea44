"""The outcome workbook: what became of every row of the file, and the totals, for the people who dropped it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from domain.reports import OutcomeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeHeading:
    """What stands above the figures. `as_of` is the instant of the snapshot, aware: same content, same bytes."""

    file_name: str
    sha256: str
    as_of: datetime
    account: str = ""


def write_outcome(path: Path, rows: "Iterable[OutcomeRow]", *, heading: OutcomeHeading, language: str = "pt_BR") -> str:
    """Write the workbook whole or not at all; returns the SHA-256 of its bytes."""
    raise NotImplementedError
