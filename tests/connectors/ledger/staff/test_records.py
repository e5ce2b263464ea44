"""Test what the database itself refuses about enrolments, without our code."""

import pytest
import sqlalchemy as sa

from connectors.ledger.staff import records
from connectors.ledger.staff.records import NewStaff
from domain.staff import Actor, Role

REFUSED = (
    "UPDATE staff SET revoked_at = NULL, revoked_by = NULL",
    "UPDATE staff SET roles = 'approver'",
    "UPDATE staff SET revision = revision - 1",
    "UPDATE staff_events SET done_by = 'somebody else'",
    "UPDATE staff_events SET becomes = NULL",
    "UPDATE staff_names SET name = 'another'",
    "DELETE FROM staff_events",
    "DELETE FROM staff",
)


def test_a_revoked_enrolment_stays_revoked(ledger):
    roles = frozenset({Role.OPERATOR})
    new = NewStaff(
        email="a@x.example", name="A", roles=roles, limit_cents=None, names=("a",), verifier="v", temporary_s=None
    )
    made = ledger.write(records.enrol, new, by=Actor("root"))
    assert ledger.read(records.names_of_able_people, Role.OPERATOR) == "A"
    with pytest.raises(sa.exc.DatabaseError):
        ledger.write(lambda conn: conn.execute(sa.text("DELETE FROM staff_names")))
    ledger.write(lambda conn: conn.execute(sa.text("UPDATE staff SET revoked_at = 1, revoked_by = 'x'")))
    assert ledger.read(records.staff_of, made).names == {"a"}
    for statement in REFUSED:
        with pytest.raises(sa.exc.DatabaseError):
            ledger.write(lambda conn, statement=statement: conn.execute(sa.text(statement)))
