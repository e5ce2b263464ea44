"""Verification finds and names what disagrees with the journal; a test breaks each rule once by plain SQL."""

import pytest
import sqlalchemy as sa

from connectors.ledger.backup.verify import verify
from connectors.ledger.migrations.triggers import disable_guards
from tests.connectors.ledger import scene as scenes


def tampered(ledger, *statements):
    def change(conn):
        with disable_guards(conn):
            for statement in statements:
                conn.execute(sa.text(statement))

    ledger.write(change)
    return [problem.code for problem in ledger.read(verify).problems]


def test_a_ledger_agrees_with_its_journal(ledger):
    ledger.write(scenes.staged)
    found = ledger.read(verify)
    assert found.is_sound
    assert found.things == 4 + 4 + 1
    assert found.events > 0


def test_an_empty_ledger_is_sound(ledger):
    assert ledger.read(verify).is_sound


@pytest.mark.parametrize(
    ("statement", "codes"),
    [
        ("UPDATE invoices SET state = 'accepted' WHERE number = 2", ["ledger.state_differs"]),
        ("UPDATE batches SET state = 'open'", ["ledger.state_differs"]),
        ("UPDATE rows SET state = 'resolved' WHERE row_number = 3", ["ledger.state_differs"]),
        ("DELETE FROM events WHERE entity = 'batch'", ["ledger.state_differs"]),
        ("UPDATE events SET becomes = 'retired' WHERE becomes = 'created' AND first_id = 1 AND entity = 'invoice'",
         ["ledger.journal_illegal", *["ledger.state_differs"] * 4]),
        ("DELETE FROM events WHERE becomes = 'posting' AND first_id = 1", ["ledger.journal_broken"] * 4),
        ("UPDATE events SET last_id = last_id + 2 WHERE entity = 'row' AND was IS NULL", ["ledger.state_differs"] * 2),
        ("UPDATE numbers SET digest = 'of something else' WHERE number = 3", ["ledger.number_differs"]),
        ("UPDATE numbers SET retired_at = 1, retired_because = 'x' WHERE number = 3", ["ledger.number_differs"]),
        ("UPDATE series SET next_number = 4", ["ledger.serie_behind"]),
        ("UPDATE series SET highest_posted = 3", ["ledger.serie_behind"]),
    ],
)  # fmt: skip
def test_a_direct_change_of_the_database_is_found(ledger, statement, codes):
    ledger.write(scenes.staged)
    assert tampered(ledger, statement) == codes


def test_an_approval_that_nobody_gave_is_found(ledger):
    ledger.write(scenes.staged)
    codes = tampered(
        ledger,
        "UPDATE batches SET state = 'approved'",
        "INSERT INTO events (entity, block, first_id, last_id, was, becomes, because, is_observed, at)"
        " VALUES ('batch', 1, 1, 1, 'staged', 'approved', 'x', false, 1)",
    )
    assert codes == ["ledger.unapproved"]


def test_the_first_of_many_are_named_and_the_rest_counted(ledger):
    ledger.write(scenes.furnish, 30)
    codes = tampered(ledger, "UPDATE invoices SET state = 'drafted'")
    assert codes == ["ledger.state_differs"] * 20 + ["ledger.more_of_these"]
    assert ledger.read(verify).problems[-1].params == {"count": 10}
