"""A charge has one living invoice, in however many rows, readings and files it appears."""

import pytest
import sqlalchemy as sa

from connectors.ledger import files, invoices, rows, transitions
from connectors.ledger.rows import NewRow, Parties
from connectors.ledger.sheets.row_families import Living, living_families, members_of_families
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes


def _reading(conn, *news, sha256="b" * 64, name="corrigir.xlsx"):
    file = files.receive(conn, sha256=sha256, name=name, size_bytes=9, kind="xlsx")
    reading = files.begin_reading(conn, file.id, operator="clerk", options={})
    scenes.store(conn, reading, news)
    return [row.id for row in rows.rows_of(conn, reading)]


def _row(number=2, **changes):
    return NewRow(sheet="S", row_number=number, cells={}, line={}, **changes)


def _draft(conn, row_id, **changes):
    emitter, template, takers = scenes.add_parties(conn)
    rows.resolve_rows(conn, {row_id: Parties(emitter, takers[0], template)})
    return invoices.draft_invoices(conn, [scenes.new_invoice(row_id, emitter, takers[0], template, **changes)])


def test_readings_and_corrections_of_a_place_are_one_family(ledger):
    def story(conn):
        (first,) = _reading(conn, _row(), sha256="a" * 64)
        (again,) = _reading(conn, _row(), sha256="a" * 64)
        (correction,) = _reading(conn, _row(7, follows_id=again))
        (of_correction,) = _reading(conn, _row(7, follows_id=correction), sha256="c" * 64)
        (reread,) = _reading(conn, _row(7), sha256="c" * 64)
        (stranger,) = _reading(conn, _row(8), sha256="c" * 64)
        family = [first, again, correction, of_correction, reread]
        assert [each.row_id for each in members_of_families(conn, [first])] == family
        assert [row.family for row in rows.rows_by_ids(conn, [*family, stranger])] == [first] * 5 + [stranger]
        assert [row.follows_id for row in rows.rows_by_ids(conn, family)] == [None, None, again, correction, None]

    ledger.write(story)


def test_a_second_living_invoice_of_a_family_is_refused(ledger):
    def story(conn):
        (first,) = _reading(conn, _row(), sha256="a" * 64)
        (one,) = _reading(conn, _row(5, follows_id=first))
        (two,) = _reading(conn, _row(6, follows_id=first), sha256="c" * 64)
        drafted = _draft(conn, one, business_key="one")
        assert living_families(conn, [first]) == {
            first: Living(InvoiceState.DRAFTED, None, None, "corrigir.xlsx", 5),
        }
        late = _draft(conn, two, business_key="another")
        assert (late.ids, late.refused) == ({}, [two])
        transitions.move(
            conn, [drafted.ids[one]], was=InvoiceState.DRAFTED, becomes=InvoiceState.RETIRED, because="test"
        )
        assert living_families(conn, [first]) == {}
        emitter, template, takers = scenes.add_parties(conn)
        again = invoices.draft_invoices(
            conn, [scenes.new_invoice(two, emitter, takers[0], template, business_key="another")]
        )
        assert list(again.ids) == [two]
        assert invoices.redraft(conn, [drafted.ids[one]], because="test") == []

    ledger.write(story)


def test_the_invoice_of_an_order_lives_for_each_of_its_rows(ledger):
    def story(conn):
        leader, other = _reading(conn, _row(2), _row(3), sha256="a" * 64)
        (correction,) = _reading(conn, _row(9, follows_id=other))
        emitter, template, takers = scenes.add_parties(conn)
        rows.resolve_rows(conn, dict.fromkeys((leader, other), Parties(emitter, takers[0], template)))
        new = scenes.new_invoice(leader, emitter, takers[0], template, other_row_ids=[other])
        invoices.draft_invoices(conn, [new])
        assert set(living_families(conn, [other, leader, correction])) == {leader, other}

    ledger.write(story)


@pytest.mark.parametrize("change", ["UPDATE rows SET origin_id = 1", "UPDATE invoices SET origin_id = NULL"])
def test_a_rows_correction_link_never_changes(ledger, change):
    def story(conn):
        (row,) = _reading(conn, _row())
        _draft(conn, row)

    ledger.write(story)
    with pytest.raises(sa.exc.DBAPIError, match="never changes"):
        ledger.write(lambda conn: conn.exec_driver_sql(change))


def test_nothing_asked_is_nothing_found(ledger):
    assert ledger.read(living_families, []) == {}
    assert ledger.read(members_of_families, []) == []
