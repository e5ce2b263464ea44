"""Several rows, one invoice: drafted together or not at all, and found from each of them."""

import pytest
import sqlalchemy as sa

from connectors.ledger import invoices, rows, transitions
from connectors.ledger.sheets.row_outcomes import newest_rows
from domain.problems import Problem
from domain.states import InvoiceState, RowState
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes


def states(ledger, reading):
    return [row.state for row in ledger.read(rows.rows_of, reading)]


def test_rows_of_one_invoice_follow_its_first_row(ledger):
    reading, emitter, ids = ledger.write(products.resolved, 2)
    new = products.new_order(ids[:3], emitter)
    alone = products.new_order(ids[3:], emitter)
    drafted = ledger.write(invoices.draft_invoices, [new, alone])
    assert list(drafted.ids) == [ids[0], ids[3]]
    assert (drafted.refused, drafted.refused_rows) == ([], [])
    assert [row.leader_id for row in ledger.read(rows.rows_of, reading)] == [None, ids[0], ids[0], None]
    assert states(ledger, reading) == [RowState.ASSEMBLED] * 4
    first, second = ledger.read(scenes.drafts, reading)
    assert (first.row_id, second.row_id) == (ids[0], ids[3])
    assert (first.kind, first.taker_id, first.taker_document, first.service_cents) == ("nfe", None, None, 2_500)
    scenes.assert_journal_tells_states(ledger)


def test_a_living_key_refuses_every_row_of_its_order(ledger):
    reading, emitter, ids = ledger.write(products.resolved, 2)
    ledger.write(invoices.draft_invoices, [products.new_order(ids[:2], emitter, business_key="k")])
    again = products.new_order(ids[2:], emitter, business_key="k")
    drafted = ledger.write(invoices.draft_invoices, [again])
    assert (drafted.ids, drafted.refused, drafted.refused_rows) == ({}, [ids[2]], ids[2:])
    assert states(ledger, reading) == [RowState.ASSEMBLED] * 2 + [RowState.RESOLVED] * 2
    why = {each: [Problem("row.overtaken")] for each in drafted.refused_rows}
    assert ledger.write(rows.refuse_rows, why, because="an equal order was first") == ids[2:]
    scenes.assert_journal_tells_states(ledger)


@pytest.mark.parametrize("place", [0, 1])
def test_an_order_with_a_missing_row_is_not_drafted(ledger, place):
    reading, emitter, ids = ledger.write(products.resolved, 2)
    ledger.write(rows.refuse_rows, {ids[place]: [Problem("row.repeated")]}, because="x")
    news = [products.new_order(ids[:2], emitter), products.new_order(ids[2:], emitter)]
    drafted = ledger.write(invoices.draft_invoices, news)
    assert list(drafted.ids) == [ids[2]]
    assert (drafted.refused, drafted.refused_rows) == ([ids[0]], ids[:2])
    assert states(ledger, reading)[1 - place] is RowState.RESOLVED
    assert ledger.write(invoices.draft_invoices, news).refused == [ids[0], ids[2]]  # A repetition changes nothing.


def test_a_row_is_in_one_invoice(ledger):
    reading, emitter, ids = ledger.write(products.resolved, 2)
    order = products.new_order(ids[:2], emitter)
    drafted = ledger.write(invoices.draft_invoices, [order, products.new_order([ids[2], ids[1]], emitter)])
    assert (list(drafted.ids), drafted.refused_rows) == ([ids[0]], [ids[2], ids[1]])
    before = ledger.read(scenes.contents)
    alone = products.new_order(ids[1:2], emitter)
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(invoices.draft_invoices, [alone])
    assert ledger.read(scenes.contents) == before
    assert states(ledger, reading)[2] is RowState.RESOLVED


def test_every_row_of_an_invoice_shows_it_and_lives_with_it(ledger):
    made = ledger.write(products.planned, 2)
    [file] = ledger.read(scenes.known_files)
    assert ledger.read(rows.living_row_locations, file.id) == {("P", n) for n in (2, 3, 4, 5)}
    first = made.invoice_ids[:1]
    ledger.write(transitions.move, first, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x")
    assert ledger.read(rows.living_row_locations, file.id) == {("P", 4), ("P", 5)}
    outcomes = ledger.read(newest_rows, file.id)
    assert [each.invoice.id for each in outcomes] == [each for each in made.invoice_ids for _ in range(2)]
    assert [each.row.leader_id for each in outcomes] == [None, made.row_ids[0], None, made.row_ids[2]]
    for leader, follower in made.pairs:
        [found] = ledger.read(invoices.find_invoices, row_id=follower)
        assert found.row_id == leader
        assert ledger.read(invoices.find_invoices, row_id=leader) == [found]


def test_drafted_again_an_invoice_keeps_its_rows(ledger):
    made = ledger.write(products.planned, 1)
    ledger.write(
        transitions.move, made.invoice_ids, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x"
    )
    [new] = ledger.write(invoices.redraft, made.invoice_ids, because="again")
    [file] = ledger.read(scenes.known_files)
    assert {each.invoice.id for each in ledger.read(newest_rows, file.id)} == {new}
    [draft] = ledger.read(scenes.drafts, made.reading_id)
    assert (draft.id, draft.kind, draft.follows_id) == (new, "nfe", made.invoice_ids[0])


def test_a_reading_stalls_while_an_order_is_in_no_batch(ledger):
    reading, emitter, ids = ledger.write(products.resolved, 1)
    assert ledger.read(rows.stalled_readings, idle_s=0) == [reading]
    ledger.write(invoices.draft_invoices, [products.new_order(ids, emitter)])
    assert ledger.read(rows.stalled_readings, idle_s=0) == [reading]
    assert ledger.read(rows.stalled_readings, idle_s=60) == []
    ledger.write(products.planned, 1, sha256="d" * 64)
    assert ledger.read(rows.stalled_readings, idle_s=0) == [reading]


def test_a_decision_on_one_kind_does_not_affect_another(ledger):
    service, lease = ledger.write(scenes.staged, 1)
    [note] = service.invoice_ids
    same_id = ledger.read(invoices.invoices_by_ids, [note])[0].remote_id
    made, lease = ledger.write(products.sending, 1)
    [invoice] = made.invoice_ids
    ledger.write(products.post, lease, "in_doubt", ids=[invoice])
    unresolved = {"was": InvoiceState.IN_DOUBT, "becomes": InvoiceState.UNRESOLVED, "because": "x"}
    ledger.write(transitions.move, [invoice], **unresolved)
    word = {"becomes": InvoiceState.ACCEPTED, "because": "ana", "remote_id": same_id}
    assert ledger.write(invoices.settle, invoice, **word)
    found = ledger.read(invoices.find_invoices, remote_id=same_id)
    assert [each.kind for each in found] == ["service", "nfe"]
