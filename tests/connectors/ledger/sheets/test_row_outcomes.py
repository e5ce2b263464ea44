"""A file's outcome: its newest rows with their newest invoices."""

from connectors.ledger import files, transitions
from connectors.ledger.rows import NewRow
from connectors.ledger.sheets.row_outcomes import newest_ids, newest_rows, outcomes_of
from domain.problems import Problem
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes


def test_a_files_outcome_is_its_newest_rows_and_living_invoices(ledger):
    scene = ledger.write(scenes.furnish, 2)
    [file] = ledger.read(scenes.known_files)
    dead = scene.invoice_ids[:1]
    ledger.write(transitions.move, dead, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x")
    again = ledger.write(files.begin_reading, file.id, operator="ana", options={})
    bad = NewRow(sheet="S", row_number=2, cells={}, problems=[Problem("amount.ambiguous")])
    ledger.write(scenes.store, again, [bad, NewRow(sheet="S", row_number=4, cells={}, line={})])
    retired, reserved, unbilled = (
        (2, again, InvoiceState.RETIRED),
        (3, scene.reading_id, InvoiceState.RESERVED),
        (4, again, None),
    )

    def newest(**options):
        outcomes = ledger.read(outcomes_of, ledger.read(newest_ids, file.id, **options))
        return [
            (each.row.row_number, each.row.reading_id, each.invoice.state if each.invoice else None)
            for each in outcomes
        ]

    assert newest() == [retired, reserved, unbilled]
    assert ledger.read(newest_rows, file.id) == ledger.read(outcomes_of, ledger.read(newest_ids, file.id))
    assert newest(is_unbilled=True) == [retired, unbilled]
