"""Rows that resemble a note whose own row was lost with the ledger are held back, unless a person allows them."""

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.database.sql import clock
from domain.keys import charge_key
from domain.problems import Problem
from tests.tasks.rows import RIO, company, lines, this_month


def lose(shop, **changes):
    """Simulate that a note for the first row is at the provider, and its own row is lost."""
    charge = {"emitter_cnpj": RIO, "competence": this_month(), "taker_document": company(1).number}
    key = charge_key(**({**charge, "service_cents": 10_001} | changes))
    finding = Problem("restore.note_unknown", params={"serie": "F", "number": 7, restorations.CHARGE: key})

    def write(conn):
        line = {"sha256": "a", "taken_at": clock(conn), "restored_at": clock(conn), "restored_by": "Ana"}
        conn.execute(sa.insert(tables.restorations).values(**line, findings=[]))
        quarantine.store_findings(conn, [finding])
        quarantine.free(conn, by="Ana", because="looked at it")

    shop.write(write)


def test_a_row_with_the_same_taker_month_and_amount_waits(each_shop):
    shop = each_shop
    lose(shop)
    reading, batches = shop.assembled(*lines(2))
    assert shop.problems(reading) == {5: ["row.billed_before_loss"]}
    assert [note.service_cents for note in shop.notes(batches[0])] == [10_002]


def test_any_other_row_is_billed(shop):
    lose(shop, service_cents=10_009)
    reading, _ = shop.assembled(*lines(2))
    assert shop.problems(reading) == {}


def test_a_person_can_allow_it(shop):
    lose(shop)
    reading, batches = shop.assembled(*lines(1), allow_repeats=True)
    assert shop.problems(reading) == {}
    assert len(batches) == 1
