"""Drafts: one living invoice per business key, found by key, batch, row or number."""

import pytest

from connectors.ledger import invoices, rows, transitions
from connectors.ledger.observations.notes import NoteView, observe_notes
from connectors.ledger.rows import NewRow, Parties
from domain.states import InvoiceState, RowState
from tests.connectors.ledger import scene as scenes


def resolved(conn, count):
    reading = scenes.add_reading(conn)
    emitter, template, [taker, *_] = scenes.add_parties(conn)
    scenes.store(conn, reading, [NewRow(sheet="S", row_number=n + 2, cells={}, line={}) for n in range(count)])
    ids = [row.id for row in rows.rows_of(conn, reading)]
    rows.resolve_rows(conn, dict.fromkeys(ids, Parties(emitter, taker, template)))
    return reading, ids, (emitter, taker, template)


def test_a_draft_holds_what_was_asked_and_takes_its_row_along(ledger):
    reading, [row], parties = ledger.write(resolved, 1)
    new = scenes.new_invoice(row, *parties, amounts={"iss_cents": 499, "service_cents": 9_999})
    drafted = ledger.write(invoices.draft_invoices, [new])
    [draft] = ledger.read(scenes.drafts, reading)
    assert drafted.ids == {row: draft.id}
    assert draft.state is InvoiceState.DRAFTED
    for name in ("business_key", "competence", "content", "digest", "service_cents", "amounts", "follows_id"):
        assert getattr(draft, name) == getattr(new, name)
    assert (draft.number, draft.batch_id, draft.errors, draft.doubts) == (None, None, [], 0)
    assert draft.taker_document == "99000002000100"
    assert ledger.read(scenes.row_states, reading) == {RowState.ASSEMBLED}
    scenes.assert_journal_tells_states(ledger)


def test_a_living_key_refuses_its_own_row_alone(ledger):
    reading, ids, parties = ledger.write(resolved, 4)
    first = ledger.write(invoices.draft_invoices, [scenes.new_invoice(ids[0], *parties, business_key="k")])
    news = [
        scenes.new_invoice(ids[1], *parties, business_key="k"),
        scenes.new_invoice(ids[2], *parties, business_key="other"),
        scenes.new_invoice(ids[3], *parties, business_key="other"),
    ]
    drafted = ledger.write(invoices.draft_invoices, news)
    assert list(drafted.ids) == [ids[2]]
    assert drafted.refused == [ids[1], ids[3]]
    assert {key: each.row_id for key, each in ledger.read(invoices.living_by_keys, ["k", "other", "none"]).items()} == {
        "k": ids[0],
        "other": ids[2],
    }
    assert [row.state for row in ledger.read(rows.rows_of, reading)] == [
        RowState.ASSEMBLED,
        RowState.RESOLVED,
        RowState.ASSEMBLED,
        RowState.RESOLVED,
    ]
    assert first.refused == []
    scenes.assert_journal_tells_states(ledger)


def test_a_dead_key_may_live_again(ledger):
    _, ids, parties = ledger.write(resolved, 2)
    first = ledger.write(invoices.draft_invoices, [scenes.new_invoice(ids[0], *parties, business_key="k")]).ids[ids[0]]
    ledger.write(transitions.move, [first], was=InvoiceState.DRAFTED, becomes=InvoiceState.RETIRED, because="withdrawn")
    assert ledger.read(invoices.living_by_keys, ["k"]) == {}
    new = scenes.new_invoice(ids[1], *parties, business_key="k", follows_id=first)
    second = ledger.write(invoices.draft_invoices, [new]).ids[ids[1]]
    assert ledger.read(invoices.last_by_keys, ["k"])["k"].id == second
    assert ledger.read(invoices.invoices_by_ids, [second])[0].follows_id == first


def test_a_few_thousand_drafts_go_at_once(ledger):
    reading, ids, parties = ledger.write(resolved, 2_500)
    drafted = ledger.write(invoices.draft_invoices, [scenes.new_invoice(row, *parties) for row in ids])
    assert len(drafted.ids) == 2_500
    assert [each.row_id for each in ledger.read(scenes.drafts, reading)] == ids


def test_invoices_are_found_by_whatever_a_person_holds(ledger):
    scene, _ = ledger.write(scenes.staged)
    view = NoteView(invoice_id=scene.invoice_ids[1], state=InvoiceState.CREATED, nfse_number="77")
    ledger.write(observe_notes, scene.batch_id, [view])
    found = {
        "row_id": scene.row_ids[1],
        "number": 2,
        "remote_id": 9_000 + scene.invoice_ids[1],
        "nfse_number": "77",
    }
    for name, value in found.items():
        [one] = ledger.read(invoices.find_invoices, **{name: value})
        assert one.id == scene.invoice_ids[1]
    assert ledger.read(invoices.find_invoices, number=2, serie="G") == []
    with pytest.raises(ValueError):
        ledger.read(invoices.find_invoices, serie="F")


def test_invoices_of_a_batch_are_in_the_order_of_their_numbers(ledger):
    scene, _ = ledger.write(scenes.opened)
    assert [each.number for each in ledger.read(invoices.invoices_of, scene.batch_id)] == [1, 2, 3, 4]
    assert ledger.read(invoices.invoices_of, scene.batch_id, {InvoiceState.CREATED}) == []
    assert ledger.read(invoices.count_by_state, scene.batch_id) == {InvoiceState.RESERVED: 4}


def test_a_dead_invoice_is_drafted_again_once(ledger):
    scene, _ = ledger.write(scenes.opened, 2)
    retired = scene.invoice_ids
    ledger.write(transitions.move, retired, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x")
    new = ledger.write(invoices.redraft, retired, because="again")
    drafts = ledger.read(scenes.drafts, scene.reading_id)
    assert [(each.id, each.follows_id, each.number, each.batch_id) for each in drafts] == [
        (new[0], retired[0], None, None),
        (new[1], retired[1], None, None),
    ]
    assert ledger.write(invoices.redraft, retired, because="again") == []
    scenes.assert_journal_tells_states(ledger)


def test_accepted_money_is_summed(ledger):
    scene, _ = ledger.write(scenes.staged)
    assert ledger.read(invoices.accepted_cents) == 0
    ledger.write(transitions.observe, scene.invoice_ids[:3], becomes=InvoiceState.ACCEPTED, because="listed")
    assert ledger.read(invoices.accepted_cents, scene.reading_id) == 30_000
