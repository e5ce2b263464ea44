"""Apply retention terms: delete old sheets, empty old refused rows, erase former staff."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from connectors.ledger.persons.expiry import count_expired_rows, expire_rows, files_read_before
from connectors.ledger.staff.leavers import count_leavers, erase_leavers
from connectors.spreadsheets.archive import discard, is_archived
from domain.competence import BRASILIA
from tasks.runtime import Context


@dataclass(frozen=True, slots=True)
class ExpiredCounts:
    """The numbers of archived sheets, refused rows and revoked people past their term."""

    sheets: int
    rows: int
    staff: int

    @property
    def is_due(self) -> bool:
        return bool(self.sheets or self.rows or self.staff)


def count_expired(context: Context) -> ExpiredCounts:
    """Count the sheets, refused rows and staff records past their terms; change nothing."""
    rows = context.ledger.read(count_expired_rows, before=_days_ago(context, _refused_days(context)))
    return ExpiredCounts(len(_sheets(context)), rows, context.ledger.read(count_leavers, before=_fiscal_term(context)))


def expire(context: Context, *, person: str) -> ExpiredCounts:
    """Delete sheets, empty rows and erase staff past their terms; record the counts in the journal. Safe to repeat.

    Never touch issued invoices.
    """
    sheets = _sheets(context)
    for sha256, name in sheets:
        discard(sha256, name=name, folder=context.archive)
    before = _days_ago(context, _refused_days(context))
    rows = context.ledger.write(expire_rows, before=before, by=person, because="end of term", sheets=len(sheets))
    staff = context.ledger.write(erase_leavers, before=_fiscal_term(context), by=person)
    return ExpiredCounts(len(sheets), rows, staff)


def _sheets(context: Context) -> list[tuple[str, str]]:
    """Return digest and name of the archived sheets that are past their term."""
    read = context.ledger.read(files_read_before, _days_ago(context, context.settings.retention.sheet_days))
    return [(sha256, name) for _, sha256, name in read if is_archived(sha256, name=name, folder=context.archive)]


def _refused_days(context: Context) -> int:
    return context.settings.retention.refused_days


def _fiscal_term(context: Context) -> datetime:
    """Return the instant before which revocations of staff are past their term, like the invoices of those years."""
    year = context.clock().astimezone(BRASILIA).year - context.settings.retention.fiscal_years
    return datetime(year, 1, 1, tzinfo=BRASILIA)


def _days_ago(context: Context, days: int) -> datetime:
    return context.clock() - timedelta(days=days)
