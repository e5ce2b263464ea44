"""The bench of storage measures a ledger on each database, and compares a note's bytes with the target."""

from connectors.ledger.observations.sizes import LedgerSize
from tests.load import storage


def test_each_ledger_is_measured():
    rows = list(storage.rows(notes=4, step=2))
    targets = [storage.TARGETS["SQLite"], storage.FURTHER, None, storage.TARGETS["PostgreSQL"]]
    assert [row.target for row in rows] == targets
    assert all(row.measured > 0 for row in rows if row.target != storage.FURTHER)


def test_a_note_that_takes_too_much_falls_short():
    size = LedgerSize(4_000_000, (("invoices", 3_000_000),), notes=1_000, lately=0)
    assert [storage.judged("it", size, target).is_met for target in (3_999, 4_000)] == [False, True]
    assert storage.judged("it", size, None).remarks == ("a note: invoices 3000 B",)
