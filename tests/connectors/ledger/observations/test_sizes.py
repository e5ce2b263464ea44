"""The ledger's size on both databases, and the forecast from the last 30 days."""

from connectors.ledger.observations.sizes import LedgerSize, ledger_size
from tests.connectors.ledger import scene as scenes


def test_tables_and_notes_are_measured(ledger):
    ledger.write(scenes.opened)
    found = ledger.read(ledger_size)
    assert found.notes == found.lately > 0
    assert found.bytes_per_note == found.bytes // found.notes
    assert {"invoices", "events", "rows"} <= dict(found.by_table).keys()
    assert 0 < sum(size for _, size in found.by_table) <= found.bytes


def test_an_empty_ledger_forecasts_no_growth(ledger):
    found = ledger.read(ledger_size)
    assert (found.notes, found.bytes_per_note) == (0, 0)
    assert found.bytes_after(365) == found.bytes


def test_the_forecast_grows_by_the_notes_of_a_month():
    size = LedgerSize(2_000_000, (), notes=1_000, lately=300)
    assert size.bytes_after(60) == 2_000_000 + 600 * 2_000
