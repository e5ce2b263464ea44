"""Changes at a provider on both databases: one open line of the same write, closed once, and never rewritten."""

import pytest
import sqlalchemy as sa

from connectors.ledger import certificates, remote_changes, tables
from connectors.ledger.remote_changes import DoneMeanwhile, RequestedChange


def asked(digest: str = "d") -> RequestedChange:
    return RequestedChange(
        system="orders", kind="discount", verb="create", subject="essencial 4", fields=["amount"], digest=digest,
        asked_by="Ana", because="pedido",
    )  # fmt: skip


def test_the_same_write_is_open_once_and_closed_once(ledger):
    first = ledger.write(remote_changes.begin, asked())
    assert ledger.write(remote_changes.begin, asked()) is None
    assert ledger.write(remote_changes.begin, asked("another")) is not None
    found, age_s = ledger.read(remote_changes.open_change, "d")
    assert (found.id, found.fields, age_s >= 0) == (first, ["amount"], True)
    assert ledger.write(remote_changes.end, first, "absent")
    assert not ledger.write(remote_changes.end, first, "done")
    assert ledger.read(remote_changes.open_change, "d") is None
    assert ledger.write(remote_changes.begin, asked()) is not None
    assert [each.outcome for each in ledger.read(remote_changes.newest, 9)] == [None, None, "absent"]


def test_a_write_that_was_done_since_the_look_is_not_begun(ledger):
    first = ledger.write(remote_changes.begin, asked())
    ledger.write(remote_changes.end, first, "done")
    with pytest.raises(DoneMeanwhile) as done:
        ledger.write(remote_changes.begin, asked())
    assert (done.value.line, ledger.read(remote_changes.open_change, "d")) == (first, None)
    assert ledger.write(remote_changes.begin, asked("another")) is not None
    assert ledger.write(remote_changes.begin, asked(), known=first) is not None


def test_the_database_refuses_to_rewrite_what_was_asked(ledger):
    change = ledger.write(remote_changes.begin, asked())
    table = tables.remote_changes

    def rewrite(**news: object) -> None:
        ledger.write(lambda conn: conn.execute(sa.update(table).where(table.c.id == change).values(**news)))

    for news in ({"because": "outro"}, {"asked_by": "Bia"}, {"subject": "x"}, {"digest": "x"}):
        with pytest.raises(sa.exc.DBAPIError):
            rewrite(**news)
    ledger.write(remote_changes.end, change, "done")
    with pytest.raises(sa.exc.DBAPIError):
        rewrite(outcome="refused")
    assert ledger.read(certificates.ends_all) == []
