"""Apply retention terms: delete old archived sheets and empty old refused rows, as the settings say."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from connectors.ledger.persons.expiry import count_expired_rows, expire_rows, files_read_before
from connectors.spreadsheets.archive import discard, is_archived
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class Expired:
    """The numbers of archived sheets and refused rows past their term."""

    sheets: int
    rows: int

    @property
    def is_due(self) -> bool:
        return bool(self.sheets or self.rows)


def due(context: Context) -> Expired:
    """Count what is past its term; change nothing."""
    return Expired(
        len(_sheets(context)), context.ledger.read(count_expired_rows, before=_since(context, _refused_days(context)))
    )


def expire(context: Context, *, person: str) -> Expired:
    """Delete and empty what is past its term; record the counts in the journal. Safe to repeat.

    Never touch issued invoices.
    """
    sheets = _sheets(context)
    for sha256, name in sheets:
        discard(sha256, name=name, folder=context.archive)
    before = _since(context, _refused_days(context))
    rows = context.ledger.write(expire_rows, before=before, by=person, because="end of term", sheets=len(sheets))
    return Expired(len(sheets), rows)


def _sheets(context: Context) -> list[tuple[str, str]]:
    """Return digest and name of the kept sheets that are past their term."""
    read = context.ledger.read(files_read_before, _since(context, context.settings.retention.sheet_days))
    return [(sha256, name) for _, sha256, name in read if is_archived(sha256, name=name, folder=context.archive)]


def _refused_days(context: Context) -> int:
    return context.settings.retention.refused_days


def _since(context: Context, days: int) -> datetime:
    return context.clock() - timedelta(days=days)
