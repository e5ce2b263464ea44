"""End terms: delete archived sheets and empty refused rows that are older than the settings keep them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from connectors.ledger.persons.expiry import count_expired_rows, expire_rows, files_read_before
from connectors.spreadsheets.archive import archived
from tasks.runtime import Desk


@dataclass(frozen=True, slots=True)
class Expired:
    """How many archived sheets and refused rows are past their term."""

    sheets: int
    rows: int

    @property
    def is_due(self) -> bool:
        return bool(self.sheets or self.rows)


def due(desk: Desk) -> Expired:
    """Count what is past its term, and change nothing."""
    return Expired(len(_sheets(desk)), desk.ledger.read(count_expired_rows, before=_since(desk, _refused_days(desk))))


def expire(desk: Desk, *, person: str) -> Expired:
    """Delete and empty what is past its term, and journal how much. Safe to repeat.

    Issued invoices are never touched.
    """
    sheets = _sheets(desk)
    for path in sheets:
        path.unlink(missing_ok=True)
    before = _since(desk, _refused_days(desk))
    rows = desk.ledger.write(expire_rows, before=before, by=person, because="end of term", sheets=len(sheets))
    return Expired(len(sheets), rows)


def _sheets(desk: Desk) -> list[Path]:
    read = desk.ledger.read(files_read_before, _since(desk, desk.settings.retention.sheet_days))
    paths = (archived(sha256, name=name, folder=desk.archive) for _, sha256, name in read)
    return [path for path in paths if path.is_file()]


def _refused_days(desk: Desk) -> int:
    return desk.settings.retention.refused_days


def _since(desk: Desk, days: int) -> datetime:
    return desk.clock() - timedelta(days=days)
